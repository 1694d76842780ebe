import { type Environment, processEnvironment } from '../process/config.js';
import { runProcess } from '../process/run-process.js';
import { whenReachable } from '../process/wait-for-server.js';
import { type ServiceOptions, startService } from './start-service.js';

/** What starts a service, with the configuration that it reads from an environment. */
export type ServiceDefinition = (env: Environment) => ServiceOptions;

/** All of a service's `main.ts`: starts the service, and drains it at SIGTERM or SIGINT. */
export function runService(service: ServiceDefinition): Promise<void> {
  return runProcess(() => {
    const options = service(processEnvironment);
    const { name, config } = options;
    return {
      name,
      logLevel: config.logLevel,
      start: (logger) => whenReachable(logger, () => startService(options)),
    };
  });
}
