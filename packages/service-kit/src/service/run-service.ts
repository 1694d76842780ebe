import { runProcess } from '../process/run-process.js';
import { whenReachable } from '../process/wait-for-server.js';
import { type ServiceOptions, startService } from './start-service.js';

/** All of a service's `main.ts`: starts the service, and drains it at SIGTERM or SIGINT. */
export function runService(options: () => ServiceOptions): Promise<void> {
  return runProcess(() => {
    const resolved = options();
    const { name, config } = resolved;
    return {
      name,
      logLevel: config.logLevel,
      start: (logger) => whenReachable(logger, () => startService(resolved)),
    };
  });
}
