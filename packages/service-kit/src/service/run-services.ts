import {
  ConfigError,
  type Environment,
  environmentOf,
  processEnvironment,
  readConfig,
  serviceFields,
} from '../process/config.js';
import { HealthServer } from '../process/health-server.js';
import { createLogger } from '../process/logger.js';
import { Metrics } from '../process/metrics.js';
import { runProcess } from '../process/run-process.js';
import { whenReachable } from '../process/wait-for-server.js';
import type { ServiceDefinition } from './run-service.js';
import { type RunningService, type ServiceOptions, startService } from './start-service.js';

const { logLevel, healthHost, healthPort } = serviceFields;
const processFields = { logLevel, healthHost, healthPort };

interface Started {
  readonly name: string;
  readonly service: RunningService;
}

/**
 * All of the `main.ts` of a program of several services: starts them, and drains them at SIGTERM or SIGINT. They share the process
 * and nothing else: each has its variables (`environmentOf`), its connections, its metrics with the label `service`, and its log lines,
 * on standard output or, with `ISSUING_LOG_FILE` and so on, in a file. A service that cannot start ends the process, and so does an
 * error that no service catches. `HEALTH_PORT` has the probes of the process: it is ready when all are.
 * @param groups the services by name. A group starts with all others, and drains before those that follow, which it calls.
 */
export function runServices(
  name: string,
  groups: readonly Readonly<Record<string, ServiceDefinition>>[],
): Promise<void> {
  return runProcess(() => {
    const all = groups.map((group) =>
      Object.entries(group).map(([service, definition]) =>
        optionsOf(service, definition, processEnvironment),
      ),
    );
    const { logLevel, healthHost, healthPort } = readConfig(processFields, processEnvironment);
    return {
      name,
      logLevel,
      start: async (logger) => {
        const started = await Promise.all(all.map((group) => Promise.all(group.map(startOne))));
        const health = healthOf(started.flat(), all.flat());
        const port = await health.start(healthHost, healthPort);
        logger.info({ health_port: port }, 'services ready');
        return {
          stop: async () => {
            health.drain();
            for (const group of started) {
              await Promise.all(group.map(({ service }) => service.stop()));
            }
            await health.stop();
          },
        };
      },
    };
  });
}

function optionsOf(name: string, definition: ServiceDefinition, env: Environment): ServiceOptions {
  try {
    const own = environmentOf(name, env);
    return { ...definition(own), metrics: new Metrics(name), logFile: own.LOG_FILE ?? '' };
  } catch (error) {
    throw error instanceof ConfigError
      ? new ConfigError(`${name}, whose variables may begin with ${name.toUpperCase()}_: ${error.message}`)
      : error;
  }
}

async function startOne(options: ServiceOptions): Promise<Started> {
  const { name, config, logFile } = options;
  const logger = createLogger(name, config.logLevel, logFile);
  try {
    return { name, service: await whenReachable(logger, () => startService(options)) };
  } catch (error) {
    throw error instanceof ConfigError
      ? new ConfigError(`${name}: ${error.message}`)
      : new Error(`${name} cannot start: ${(error as Error).message}`, { cause: error });
  }
}

function healthOf(started: readonly Started[], options: readonly ServiceOptions[]): HealthServer {
  const ofProcess = new Metrics();
  const all = [ofProcess, ...options.flatMap(({ metrics }) => metrics ?? [])];
  const health = new HealthServer({
    contentType: ofProcess.contentType,
    text: () => Metrics.joined(all),
  });
  const checks = started.map(({ name, service }) => async () => {
    const reasons = await service.health.reasons();
    return reasons.length === 0 ? null : `${name}: ${reasons.join(', ')}`;
  });
  health.report(checks, () =>
    started.flatMap(({ name, service }) => service.health.warnings().map((warning) => `${name}: ${warning}`)),
  );
  return health;
}
