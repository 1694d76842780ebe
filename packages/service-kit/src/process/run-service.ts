import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { ConfigError } from './config.js';
import { createLogger } from './logger.js';
import { type ServiceOptions, startService } from './start-service.js';

/** All of a service's `main.ts`: starts the service, and drains it at SIGTERM or SIGINT. */
export async function runService(options: () => ServiceOptions): Promise<void> {
  let logger = createLogger('pinkas', 'info');
  try {
    const resolved = options();
    logger = createLogger(resolved.name, resolved.config.logLevel);
    const service = await startService(resolved);
    let stopping = false;
    const stop = (signal: string) => {
      if (stopping) {
        return;
      }
      stopping = true;
      logger.info({ signal }, 'service draining');
      // Work that hangs must not hold the process for ever.
      setTimeout(() => process.exit(1), timeLimitsMs.exit).unref();
      void service.stop().then(() => process.exit(0));
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
  } catch (error) {
    if (error instanceof ConfigError) {
      logger.fatal(error.message);
    } else {
      logger.fatal({ err: error }, 'service start failed');
    }
    process.exit(1);
  }
}
