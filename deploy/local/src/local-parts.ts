import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { natsAuthorization, type ServiceName, serviceNames } from '@pinkas/contracts';
import { type RunningServer, startNats, startPostgres, startRedis } from '@pinkas/local-servers';
import type { Addresses } from './addresses.js';
import { repositoryRoot, type StackConfig } from './config.js';
import { databaseConnectionsMax } from './database-connections.js';
import { databaseUrls, provisionDatabases } from './databases.js';
import type { Home } from './home.js';
import { rotateLog } from './log-rotation.js';
import { runNode, startNode } from './node-process.js';
import type { Part, ProcessPart, TaskPart } from './part.js';
import type { Ports } from './ports.js';
import { frontPort, type Replica, replicasOf } from './replicas.js';
import type { Secrets } from './secrets.js';

/** All that the parts of one home are made from. */
export interface PartsContext {
  config: StackConfig;
  home: Home;
  ports: Ports;
  secrets: Secrets;
  addresses: Addresses;
  /** Makes the demo business, when everything else is ready. */
  makeDemo(signal: AbortSignal): Promise<void>;
}

/** A service drains for up to 40 s before it gives up by itself. */
const serviceGraceMs = 42_000;
const standInGraceMs = 5_000;
const readyWithinMs = 60_000;
const migrationTimeoutMs = 120_000;

/** How long a gateway goes on listening when it is told to stop, where a load balancer has to take it out first. */
const lingerMs = 2_000;

/** Enough for the largest PDF that rendering takes (2 MB), in base64 with its envelope. */
const natsPayloadBytesMax = 4 * 1024 * 1024;

/** The authority's number for software that has none of its own. */
const unregisteredSoftware = '99999999';

/** The phone that messages come from here; it has no number. */
const localPhoneNumberId = '100000000000001';
const localTemplate = 'document_ready';

/** GET answers 200. Throws when nobody answers. */
async function answersOk(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(4_000) });
  await response.arrayBuffer();
  return response.status === 200;
}

/** What each service is told beside the variables that all are told. */
function ownVariables(context: PartsContext): Record<ServiceName, NodeJS.ProcessEnv> {
  const { addresses, config, home, secrets } = context;
  return {
    gateway: {
      HTTP_HOST: '127.0.0.1',
      REDIS_URL: addresses.redisUrl,
      API_KEY_PEPPER: secrets.apiKeyPepper,
      BASE_URL: addresses.baseUrl,
      VIEW_URL_BASE: addresses.viewUrlBase,
      PDF_URL_BASE: addresses.pdfUrlBase,
      DOCS_URL: addresses.docsUrl,
      PAYMENT_URL: addresses.paymentUrl,
    },
    issuing: {},
    customer: {},
    rendering: {
      GOTENBERG_URL: addresses.gotenbergUrl,
      SIGNING_P12_FILE: home.signingFile,
      SIGNING_P12_PASSWORD: secrets.signingPassword,
    },
    allocation: {
      TAX_AUTHORITY_URL: addresses.taxAuthorityUrl,
      TAX_AUTHORITY_AUTHORIZE_URL: `${addresses.taxAuthorityUrl}/longtimetoken/oauth2/authorize`,
      TAX_AUTHORITY_REDIRECT_URI: `${new URL(addresses.baseUrl).origin}/tax-authority/connected`,
      TAX_AUTHORITY_CLIENT_ID: secrets.taxAuthorityClientId,
      TAX_AUTHORITY_CLIENT_SECRET: secrets.taxAuthorityClientSecret,
      TAX_AUTHORITY_AUTO_CONNECT: 'true',
      TOKEN_ENCRYPTION_KEY: secrets.tokenEncryptionKey,
      ACCOUNTING_SOFTWARE_NUMBER: unregisteredSoftware,
    },
    delivery: {
      SMTP_URL: addresses.smtpUrl,
      SMTP_TLS: smtpTlsOf(config, addresses.smtpUrl),
      MAIL_FROM: 'documents@pinkas.localhost',
      VIEW_URL_BASE: addresses.viewUrlBase,
      WHATSAPP_URL: addresses.whatsappUrl,
      ...whatsappVariables(context),
    },
  };
}

/** Who sends by WhatsApp here, and with which template: what the environment says of somebody else's, else our own. */
function whatsappVariables({ config, secrets }: PartsContext): NodeJS.ProcessEnv {
  const given = config.replaced.whatsapp === null ? {} : config.inherited;
  return {
    WHATSAPP_PHONE_NUMBER_ID: given.WHATSAPP_PHONE_NUMBER_ID || localPhoneNumberId,
    WHATSAPP_TOKEN: given.WHATSAPP_TOKEN || secrets.whatsappToken,
    WHATSAPP_TEMPLATE: given.WHATSAPP_TEMPLATE || localTemplate,
  };
}

/**
 * Our mailbox is on this machine and its certificate nobody's. So is another mail server here, as a rule; one that is
 * elsewhere must be encrypted to unless the environment says otherwise.
 */
function smtpTlsOf({ replaced, inherited }: StackConfig, smtpUrl: string): string {
  if (replaced.smtp === null) return 'off';
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(smtpUrl).hostname);
  return inherited.SMTP_TLS || (isHere ? 'opportunistic' : 'required');
}

function serverParts(context: PartsContext): ProcessPart[] {
  const { config, home, ports, secrets } = context;
  const part = (
    name: 'postgres' | 'nats' | 'redis',
    start: (options: { dataDir: string; logFile: string; port: number }) => Promise<RunningServer>,
  ): ProcessPart => ({
    kind: 'process',
    name,
    layer: 'server',
    needs: [],
    logFile: home.logFile(name),
    readyWithinMs,
    healthUrl: null,
    start: async () => {
      rotateLog(home.logFile(name));
      const port = await ports.release(name);
      return start({ dataDir: home.dataDir(name), logFile: home.logFile(name), port });
    },
  });
  const ours = [
    part('postgres', (options) =>
      startPostgres({
        ...options,
        durable: true,
        password: secrets.postgresPassword,
        settings: { max_connections: String(databaseConnectionsMax(config.replicas)) },
      }),
    ),
    part('nats', (options) =>
      startNats({
        ...options,
        payloadBytesMax: natsPayloadBytesMax,
        authorization: natsAuthorization((user) => JSON.stringify(secrets.natsPasswords[user])),
      }),
    ),
    part('redis', startRedis),
  ];
  return ours.filter(({ name }) => config.replaced[name as 'postgres' | 'nats' | 'redis'] === null);
}

function standInParts(context: PartsContext): ProcessPart[] {
  const { config, home, ports, secrets } = context;
  const part = (
    name: string,
    variables: NodeJS.ProcessEnv,
    otherPorts: readonly string[] = [],
  ): ProcessPart => {
    const healthUrl = `http://127.0.0.1:${ports.number(name)}/health`;
    return {
      kind: 'process',
      name,
      layer: 'stand-in',
      needs: [],
      logFile: home.logFile(name),
      readyWithinMs,
      healthUrl,
      isReady: () => answersOk(healthUrl),
      start: async () => {
        const dataDir = home.dataDir(name);
        mkdirSync(dataDir, { recursive: true, mode: 0o700 });
        await Promise.all([name, ...otherPorts].map((port) => ports.release(port)));
        return startNode({
          entry: join(repositoryRoot, 'deploy/local/dist/stand-ins', `${name}.js`),
          env: {
            ...config.inherited,
            HOST: '127.0.0.1',
            PORT: String(ports.number(name)),
            DATA_DIR: dataDir,
            ...variables,
          },
          logFile: home.logFile(name),
          stopGraceMs: standInGraceMs,
        });
      },
    };
  };
  const parts: ProcessPart[] = [];
  if (config.replaced.gotenberg === null) {
    parts.push(part('gotenberg', {}));
  }
  if (config.replaced.taxAuthority === null) {
    parts.push(
      part('tax-authority', {
        CLIENT_ID: secrets.taxAuthorityClientId,
        CLIENT_SECRET: secrets.taxAuthorityClientSecret,
      }),
    );
  }
  if (config.replaced.smtp === null) {
    parts.push(part('mailbox', { SMTP_PORT: String(ports.number('mailbox-smtp')) }, ['mailbox-smtp']));
  }
  if (config.replaced.whatsapp === null) {
    parts.push(
      part('whatsapp', {
        PHONE_NUMBER_ID: localPhoneNumberId,
        TOKEN: secrets.whatsappToken,
        TEMPLATE: localTemplate,
      }),
    );
  }
  return parts;
}

function databaseParts(context: PartsContext): TaskPart[] {
  const { addresses, config, home, secrets } = context;
  const databases: TaskPart = {
    kind: 'task',
    name: 'databases',
    layer: 'database',
    needs: ['postgres'],
    logFile: home.logFile('postgres'),
    run: () => provisionDatabases(addresses.postgresUrl, secrets),
  };
  const migrations = serviceNames.map((service): TaskPart => {
    const name = `migrate-${service}`;
    const logFile = home.logFile(name);
    return {
      kind: 'task',
      name,
      layer: 'database',
      needs: ['databases'],
      logFile,
      run: (signal) =>
        runNode(
          name,
          {
            entry: join(repositoryRoot, 'services', service, 'dist/migrate.js'),
            env: {
              ...config.inherited,
              MIGRATION_DATABASE_URL: databaseUrls(addresses.postgresUrl, service, secrets).owner,
            },
            logFile,
            stopGraceMs: 0,
          },
          { timeoutMs: migrationTimeoutMs, signal },
        ),
    };
  });
  return [databases, ...migrations];
}

function readyUrlOf({ ports }: PartsContext, { name }: Replica): string {
  return `http://127.0.0.1:${ports.number(name)}/readyz`;
}

function servicePart(context: PartsContext, replica: Replica): ProcessPart {
  const { addresses, config, home, ports } = context;
  const { service, name, httpPort } = replica;
  const healthUrl = readyUrlOf(context, replica);
  const http: NodeJS.ProcessEnv =
    httpPort === null
      ? {}
      : {
          HTTP_PORT: String(ports.number(httpPort)),
          LINGER_MS: String(config.replicas === 1 ? 0 : lingerMs),
        };
  const variables = { ...ownVariables(context)[service], ...http };
  return {
    kind: 'process',
    name,
    layer: service === 'gateway' ? 'edge' : 'service',
    needs: [
      `migrate-${service}`,
      'nats',
      ...(service === 'gateway' ? ['redis'] : []),
      ...(service === 'rendering' ? ['gotenberg'] : []),
    ],
    logFile: home.logFile(name),
    readyWithinMs,
    healthUrl,
    isReady: () => answersOk(healthUrl),
    start: async () => {
      await Promise.all([ports.release(name), ...(httpPort === null ? [] : [ports.release(httpPort)])]);
      return startNode({
        entry: join(repositoryRoot, 'services', service, 'dist/main.js'),
        env: {
          ...config.inherited,
          // What somebody else runs may well be made for trying things out.
          PRODUCTION: String(config.replaced.nats === null && config.replaced.postgres === null),
          NATS_URL: addresses.nats[service],
          DATABASE_URL: addresses.postgres[service],
          HEALTH_HOST: '127.0.0.1',
          HEALTH_PORT: String(ports.number(name)),
          ...variables,
        },
        logFile: home.logFile(name),
        stopGraceMs: serviceGraceMs,
      });
    },
  };
}

/** What stands before the gateways where there are several; it stops after them, since it carries what they still answer. */
function balancerPart(context: PartsContext, replicas: readonly Replica[]): ProcessPart {
  const { config, home, ports } = context;
  const name = 'load-balancer';
  const healthUrl = `http://127.0.0.1:${ports.number(name)}/health`;
  const behind = replicas.flatMap((replica) =>
    replica.httpPort === null
      ? []
      : [{ host: '127.0.0.1', port: ports.number(replica.httpPort), readyUrl: readyUrlOf(context, replica) }],
  );
  return {
    kind: 'process',
    name,
    layer: 'service',
    needs: replicas.filter(({ service }) => service === 'gateway').map((gateway) => gateway.name),
    logFile: home.logFile(name),
    readyWithinMs,
    healthUrl,
    isReady: () => answersOk(healthUrl),
    start: async () => {
      await Promise.all([name, frontPort].map((port) => ports.release(port)));
      return startNode({
        entry: join(repositoryRoot, 'deploy/local/dist/stand-ins/load-balancer.js'),
        env: {
          ...config.inherited,
          HOST: '127.0.0.1',
          PORT: String(ports.number(name)),
          FRONT_PORT: String(ports.number(frontPort)),
          REPLICAS: JSON.stringify(behind),
        },
        logFile: home.logFile(name),
        stopGraceMs: standInGraceMs,
      });
    },
  };
}

/** The whole local system, without the parts that somebody else runs. */
export function localParts(context: PartsContext): Part[] {
  const replicas = replicasOf(context.config.replicas);
  const services = replicas.map((replica) => servicePart(context, replica));
  if (context.config.replicas > 1) services.push(balancerPart(context, replicas));
  const demo: TaskPart = {
    kind: 'task',
    name: 'demo',
    layer: 'demo',
    needs: services.map(({ name }) => name),
    logFile: context.home.logFile('demo'),
    run: context.makeDemo,
  };
  const parts: Part[] = [
    ...serverParts(context),
    ...standInParts(context),
    ...databaseParts(context),
    ...services,
    demo,
  ];
  // Nobody needs to wait for what somebody else runs.
  const ours = new Set(parts.map(({ name }) => name));
  return parts.map((part) => ({ ...part, needs: part.needs.filter((name) => ours.has(name)) }));
}
