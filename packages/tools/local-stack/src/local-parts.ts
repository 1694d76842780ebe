import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { natsAuthorization } from '@pinkas/contracts';
import { type SimulatorName, simulatorProgram } from '@pinkas/simulators';
import { repositoryRoot } from './config.js';
import { databaseConnectionsMax } from './database-connections.js';
import { provisionDatabases } from './databases.js';
import { answersOk } from './health.js';
import { rotateLog } from './log-rotation.js';
import { startNode } from './node-process.js';
import type { Part, PartsContext, ProcessPart, TaskPart } from './part.js';
import { type RunningServer, requireBinary, startNats, startPostgres, startRedis } from './servers/index.js';
import { migrationPart, serviceParts } from './service-parts.js';
import { localFollowUpTemplate, localPhoneNumberId, localTemplate } from './service-variables.js';

const simulatorGraceMs = 5_000;
const readyWithinMs = 60_000;
/** A server that somebody else starts may still be starting. */
const externalServerTimeoutMs = 10_000;

/** Enough for the largest PDF that rendering accepts (24 MB), in base64 with its envelope. */
const natsPayloadBytesMax = 40 * 1024 * 1024;

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
  const parts = [
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
  return parts.filter(({ name }) => config.replaced[name as 'postgres' | 'nats' | 'redis'] === null);
}

function simulatorPart(
  { config, home, ports }: PartsContext,
  name: SimulatorName,
  variables: NodeJS.ProcessEnv,
  otherPorts: readonly string[] = [],
): ProcessPart {
  const healthUrl = `http://127.0.0.1:${ports.number(name)}/health`;
  return {
    kind: 'process',
    name,
    layer: 'simulator',
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
        entry: simulatorProgram(name),
        env: {
          ...config.inherited,
          HOST: '127.0.0.1',
          PORT: String(ports.number(name)),
          DATA_DIR: dataDir,
          ...variables,
        },
        logFile: home.logFile(name),
        stopGraceMs: simulatorGraceMs,
      });
    },
  };
}

function simulatorParts(context: PartsContext): ProcessPart[] {
  const { addresses, config, ports, secrets } = context;
  const part = (name: SimulatorName, variables: NodeJS.ProcessEnv, otherPorts?: readonly string[]) =>
    simulatorPart(context, name, variables, otherPorts);
  const parts: ProcessPart[] = [];
  if (config.faults) {
    parts.push(part('fault-proxy', { UPSTREAM_URL: addresses.printServerUrl }));
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
        TEMPLATES: `${localTemplate},${localFollowUpTemplate}`,
      }),
    );
  }
  return parts;
}

/** The print server; or, where `GOTENBERG_URL` replaces it, a task that fails when nothing answers there. */
function printServerPart({ addresses, config, home, ports }: PartsContext): Part {
  const name = 'gotenberg';
  const logFile = home.logFile(name);
  if (config.replaced.gotenberg !== null) {
    return {
      kind: 'task',
      name,
      layer: 'simulator',
      needs: [],
      logFile,
      run: (signal) => expectGotenberg(addresses.printServerUrl, signal),
    };
  }
  const healthUrl = `http://127.0.0.1:${ports.number(`${name}-health`)}/readyz`;
  return {
    kind: 'process',
    name,
    layer: 'simulator',
    needs: [],
    logFile,
    readyWithinMs,
    healthUrl,
    isReady: () => answersOk(healthUrl),
    start: async () => {
      await Promise.all([name, `${name}-health`].map((port) => ports.release(port)));
      return startNode({
        entry: join(repositoryRoot, 'services/printer/dist/main.js'),
        env: {
          ...config.inherited,
          // Without a password: only processes of this machine reach it.
          PRODUCTION: 'false',
          CHROMIUM_PATH: requireBinary('chromium-headless-shell'),
          HTTP_HOST: '127.0.0.1',
          HTTP_PORT: String(ports.number(name)),
          HEALTH_HOST: '127.0.0.1',
          HEALTH_PORT: String(ports.number(`${name}-health`)),
          QUEUE_MAX: '256',
          // Rendering ends first, also when a test gives it more time than in production.
          API_TIMEOUT_MS: '30000',
          SHUTDOWN_DELAY_MS: '0',
        },
        logFile,
        stopGraceMs: simulatorGraceMs,
      });
    },
  };
}

/** Waits until the print server that `GOTENBERG_URL` names is up. @throws Error that says how it answered last. */
async function expectGotenberg(url: string, signal: AbortSignal): Promise<void> {
  // Neither fetch nor a message takes the password.
  const { origin } = new URL(url);
  let reason = '';
  const deadline = performance.now() + externalServerTimeoutMs;
  while (performance.now() < deadline && !signal.aborted) {
    try {
      const response = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(4_000) });
      await response.arrayBuffer();
      if (response.ok) {
        return;
      }
      reason = `status ${response.status}`;
    } catch (error) {
      const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
      reason = cause?.code ?? cause?.message ?? message;
    }
    await delay(500, undefined, { signal }).catch(() => undefined);
  }
  throw new Error(`is not up: GOTENBERG_URL names ${origin}, and GET ${origin}/health gets: ${reason}`);
}

function databaseParts(context: PartsContext): TaskPart[] {
  const { addresses, home, secrets } = context;
  const databases: TaskPart = {
    kind: 'task',
    name: 'databases',
    layer: 'database',
    needs: ['postgres'],
    logFile: home.logFile('postgres'),
    run: () => provisionDatabases(addresses.postgresUrl, secrets),
  };
  return [databases, migrationPart(context)];
}

/** All parts of the local system, without those that an address in the environment replaces. */
export function localParts(context: PartsContext): Part[] {
  const services = serviceParts(context);
  const demo: TaskPart = {
    kind: 'task',
    name: 'demo',
    layer: 'demo',
    needs: services.map(({ name }) => name),
    logFile: context.home.logFile('demo'),
    run: context.makeDemo,
  };
  const printServer = printServerPart(context);
  // Somebody else's print server that is not up ends a start that has hardly begun.
  const servers = serverParts(context).map(
    (part): ProcessPart => (printServer.kind === 'task' ? { ...part, needs: [printServer.name] } : part),
  );
  const parts: Part[] = [
    ...servers,
    printServer,
    ...simulatorParts(context),
    ...databaseParts(context),
    ...services,
    demo,
  ];
  // A replaced part is no dependency.
  const names = new Set(parts.map(({ name }) => name));
  return parts.map((part) => ({ ...part, needs: part.needs.filter((name) => names.has(name)) }));
}
