import { join } from 'node:path';
import { type ServiceName, serviceNames } from '@pinkas/contracts';
import { simulatorProgram } from '@pinkas/simulators';
import { repositoryRoot, type StackConfig } from './config.js';
import { databaseUrls } from './databases.js';
import { answersOk } from './health.js';
import { runNode, startNode } from './node-process.js';
import type { PartsContext, ProcessPart, TaskPart } from './part.js';
import {
  balancerOf,
  frontPorts,
  type HttpService,
  httpServices,
  type Replica,
  replicasOf,
} from './replicas.js';
import { ownVariables } from './service-variables.js';

/** A service drains for up to 40 s before it ends automatically. */
const serviceGraceMs = 42_000;
const balancerGraceMs = 5_000;
const readyWithinMs = 60_000;
const migrationTimeoutMs = 120_000;
/** How long a process that serves HTTP listens after SIGTERM, so that the load balancer stops using it first. */
const shutdownDelayMs = 2_000;

/** The name of a variable that is one service's alone, in a program of several. */
const variableOf = (service: ServiceName, name: string) => `${service.toUpperCase()}_${name}`;

/** Migrates all databases, in one program. */
export function migrationPart({ addresses, config, home, secrets }: PartsContext): TaskPart {
  const logFile = home.logFile('migrate');
  const urls = serviceNames.map(
    (service) =>
      [
        variableOf(service, 'MIGRATION_DATABASE_URL'),
        databaseUrls(addresses.postgresUrl, service, secrets).owner,
      ] as const,
  );
  return {
    kind: 'task',
    name: 'migrate',
    layer: 'database',
    needs: ['databases'],
    logFile,
    run: (signal) =>
      runNode(
        'migrate',
        {
          entry: join(repositoryRoot, 'services/one/dist/migrate.js'),
          env: { ...config.inherited, ...Object.fromEntries(urls) },
          logFile,
          stopGraceMs: 0,
        },
        { timeoutMs: migrationTimeoutMs, signal },
      ),
  };
}

function readyUrlOf({ ports }: PartsContext, { name }: Replica): string {
  return `http://127.0.0.1:${ports.number(name)}/readyz`;
}

/** The variables of a service, with the addresses of proxies in its URLs. */
function throughProxies(
  service: ServiceName,
  proxies: StackConfig['proxies'],
  variables: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const proxied = { ...variables };
  for (const [name, address] of Object.entries(proxies)) {
    const variable = name.replace(variableOf(service, ''), '');
    const given = variables[variable];
    if (given) {
      const url = new URL(given);
      url.host = address;
      proxied[variable] = url.href;
    }
  }
  return proxied;
}

/** All variables of a service, as it finds them in a process of its own. */
function variablesOf(context: PartsContext, { service, name, httpPort }: Replica): NodeJS.ProcessEnv {
  const { addresses, config, ports } = context;
  return throughProxies(service, config.proxies, {
    // External servers may be set up without the guarantees that production mode requires, and a tax authority on
    // another machine is not taken for a simulator.
    PRODUCTION: String(
      config.replaced.nats === null &&
        config.replaced.postgres === null &&
        config.replaced.taxAuthority === null,
    ),
    NATS_URL: addresses.nats[service],
    DATABASE_URL: addresses.postgres[service],
    HEALTH_HOST: '127.0.0.1',
    HEALTH_PORT: String(ports.number(name)),
    ...ownVariables(context)[service],
    ...(httpPort !== null && {
      HTTP_PORT: String(ports.number(httpPort)),
      SHUTDOWN_DELAY_MS: String(config.replicas === 1 ? 0 : shutdownDelayMs),
    }),
  });
}

const neededBy = (service: ServiceName) => [
  'migrate',
  'nats',
  ...(service === 'gateway' ? ['redis'] : []),
  ...(service === 'rendering' ? ['gotenberg', 'fault-proxy'] : []),
];

function servicePart(context: PartsContext, replica: Replica): ProcessPart {
  const { config, home, ports } = context;
  const { service, name, httpPort } = replica;
  const healthUrl = readyUrlOf(context, replica);
  return {
    kind: 'process',
    name,
    layer: httpPort === null ? 'service' : 'edge',
    needs: neededBy(service),
    logFile: home.logFile(name),
    readyWithinMs,
    healthUrl,
    isReady: () => answersOk(healthUrl),
    start: async () => {
      await Promise.all([ports.release(name), ...(httpPort === null ? [] : [ports.release(httpPort)])]);
      return startNode({
        entry: join(repositoryRoot, 'services', service, 'dist/main.js'),
        preload: config.preload,
        env: { ...config.inherited, ...variablesOf(context, replica) },
        logFile: home.logFile(name),
        stopGraceMs: serviceGraceMs,
      });
    },
  };
}

/** All services in one process; each has its log, as in a process of its own. */
function oneServicePart(context: PartsContext, replicas: readonly Replica[]): ProcessPart {
  const { config, home, ports } = context;
  const healthUrl = `http://127.0.0.1:${ports.number('one')}/readyz`;
  return {
    kind: 'process',
    name: 'one',
    layer: 'service',
    needs: [...new Set(replicas.flatMap(({ service }) => neededBy(service)))],
    logFile: home.logFile('one'),
    readyWithinMs,
    healthUrl,
    members: replicas.map((replica) => ({
      name: replica.name,
      log: home.logFile(replica.name),
      healthUrl: readyUrlOf(context, replica),
    })),
    isReady: () => answersOk(healthUrl),
    start: async () => {
      const used = replicas.flatMap(({ name, httpPort }) => (httpPort === null ? [name] : [name, httpPort]));
      await Promise.all(['one', ...used].map((port) => ports.release(port)));
      const variables = replicas.flatMap((replica) =>
        Object.entries({
          ...variablesOf(context, replica),
          LOG_FILE: home.logFile(replica.name),
        }).map(([name, value]) => [variableOf(replica.service, name), value] as const),
      );
      return startNode({
        entry: join(repositoryRoot, 'services/one/dist/main.js'),
        preload: config.preload,
        env: {
          ...config.inherited,
          HEALTH_PORT: String(ports.number('one')),
          ...Object.fromEntries(variables),
        },
        logFile: home.logFile('one'),
        stopGraceMs: serviceGraceMs,
      });
    },
  };
}

/** The load balancer in front of several processes; it stops after them, since it forwards their last answers. */
function balancerPart(context: PartsContext, service: HttpService): ProcessPart {
  const { config, home, ports } = context;
  const name = balancerOf(service);
  const frontPort = frontPorts[service];
  const replicas = replicasOf(config.replicas).filter((replica) => replica.service === service);
  const healthUrl = `http://127.0.0.1:${ports.number(name)}/health`;
  const backends = replicas.flatMap((replica) =>
    replica.httpPort === null
      ? []
      : [{ host: '127.0.0.1', port: ports.number(replica.httpPort), readyUrl: readyUrlOf(context, replica) }],
  );
  return {
    kind: 'process',
    name,
    layer: 'service',
    needs: replicas.map((replica) => replica.name),
    logFile: home.logFile(name),
    readyWithinMs,
    healthUrl,
    isReady: () => answersOk(healthUrl),
    start: async () => {
      await Promise.all([name, frontPort].map((port) => ports.release(port)));
      return startNode({
        entry: simulatorProgram('load-balancer'),
        env: {
          ...config.inherited,
          HOST: '127.0.0.1',
          PORT: String(ports.number(name)),
          FRONT_PORT: String(ports.number(frontPort)),
          REPLICAS: JSON.stringify(backends),
        },
        logFile: home.logFile(name),
        stopGraceMs: balancerGraceMs,
      });
    },
  };
}

/** The services of a layout, and the load balancers where each has several processes. */
export function serviceParts(context: PartsContext): ProcessPart[] {
  const { replicas: count, layout } = context.config;
  const replicas = replicasOf(count);
  if (layout === 'one') {
    return [oneServicePart(context, replicas)];
  }
  const balancers = count > 1 ? httpServices.map((service) => balancerPart(context, service)) : [];
  return [...replicas.map((replica) => servicePart(context, replica)), ...balancers];
}
