import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastLines, requireBinary, reservePort, startChild, waitUntil } from '@pinkas/local-stack/servers';

const startTimeoutMs = 60_000;
const program = fileURLToPath(new URL('../../../../services/printer/dist/main.js', import.meta.url));

/** A running print server. */
export interface TestPrinter {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts the print server as a process of its own, on a free port and without a password.
 * @throws Error with the last lines of its log when it is not up in time, or was not built.
 */
export async function startTestPrinter(env: Record<string, string> = {}): Promise<TestPrinter> {
  const folder = await mkdtemp(join(tmpdir(), 'pinkas-printer-'));
  const logFile = join(folder, 'printer.log');
  const { port, release } = await reservePort();
  await release();
  const child = await startChild({
    file: process.execPath,
    args: ['--enable-source-maps', program],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PRODUCTION: 'false',
      CHROMIUM_PATH: requireBinary('chromium-headless-shell'),
      HTTP_PORT: String(port),
      HEALTH_PORT: '0',
      QUEUE_MAX: '256',
      API_TIMEOUT_MS: '30000',
      // A busy machine gives a page no processor time for seconds.
      PAGE_STALL_MS: '10000',
      SHUTDOWN_DELAY_MS: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
    logFile,
    stopSignal: 'SIGTERM',
    stopGraceMs: 10_000,
    parentDeathSignal: 'SIGTERM',
  });
  const stop = async () => {
    await child.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await Promise.race([
      waitUntil(async () => (await fetch(`${url}/health`)).ok, {
        what: 'the printer is up',
        timeoutMs: startTimeoutMs,
      }),
      child.exited.then(() => {
        throw new Error('the printer ended before it was up');
      }),
    ]);
  } catch (error) {
    const lines = lastLines(logFile, 15);
    await stop();
    throw new Error([(error as Error).message, ...lines].join('\n'), { cause: error });
  }
  return { url, stop };
}
