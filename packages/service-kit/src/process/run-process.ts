import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { ConfigError } from './config.js';
import { createLogger, type Logger } from './logger.js';

/** A program: its name in the logs, the lowest level that it logs, and how it starts. */
interface ProcessOptions {
  readonly name: string;
  readonly logLevel: string;
  start(logger: Logger): Promise<{ stop(): Promise<void> }>;
}

/** Calls `end` at SIGTERM and SIGINT, which process 1 of a container ignores until it has a handler. */
export function atSignal(end: (signal: string) => void): void {
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

/** All of a program's `main.ts`: starts it, and drains it at SIGTERM or SIGINT; one that has not started yet ends at once. */
export async function runProcess(options: () => ProcessOptions): Promise<void> {
  let logger = createLogger('pinkas', 'info');
  try {
    const { name, logLevel, start } = options();
    logger = createLogger(name, logLevel);
    let running: Awaited<ReturnType<typeof start>> | undefined;
    let stopping = false;
    atSignal((signal) => {
      if (stopping) {
        return;
      }
      stopping = true;
      logger.info({ signal }, 'service draining');
      // Work that hangs must not hold the process for ever.
      setTimeout(() => process.exit(1), timeLimitsMs.exit).unref();
      void Promise.resolve(running?.stop()).then(() => process.exit(0));
    });
    process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
    running = await start(logger);
  } catch (error) {
    if (error instanceof ConfigError) {
      logger.fatal(error.message);
    } else {
      logger.fatal({ err: error }, 'service start failed');
    }
    process.exit(1);
  }
}
