import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats, startRedis } from '@pinkas/local-stack/servers';
import { eventually } from './eventually.js';

/** Enough for the largest PDF (24 MB) in base64 with its envelope. */
const payloadBytesMax = 40 * 1024 * 1024;

/** A server of one test file. */
export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A NATS server that can lose what it has stored. */
export interface TestNats extends TestServer {
  readonly pid: number;
  /** Makes it read its configuration again, and waits until it has. */
  reload(): Promise<void>;
  /** Ends it, empties its disk, and starts it again at the same address. */
  wipe(): Promise<void>;
}

/**
 * A NATS server with JetStream of its own, on a free port.
 * @param authorization the part of its configuration that says who may connect; without it, any client may.
 */
export async function startTestNats(authorization?: string): Promise<TestNats> {
  const folder = await mkdtemp(join(tmpdir(), 'pinkas-nats-'));
  const start = (port?: number) =>
    startNats({
      dataDir: folder,
      logFile: join(folder, 'nats.log'),
      payloadBytesMax,
      ...(authorization !== undefined && { authorization }),
      ...(port === undefined ? {} : { port }),
    });
  let server = await start();
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    url: server.url,
    get pid() {
      return server.pid;
    },
    stop,
    reload: async () => {
      const reloads = async () =>
        (await readFile(join(folder, 'nats.log'), 'utf8')).split('Reloaded server').length;
      const before = await reloads();
      process.kill(server.pid, 'SIGHUP');
      await eventually('the server has reloaded its configuration', async () => (await reloads()) > before);
    },
    wipe: async () => {
      await stop();
      server = await start(server.port);
    },
  };
}

/** A Redis server of its own, on a free port. */
export async function startTestRedis(): Promise<TestServer> {
  return inTemporaryFolder('redis', (dataDir) =>
    startRedis({ dataDir, logFile: join(dataDir, 'redis.log') }),
  );
}

async function inTemporaryFolder(
  name: string,
  start: (dataDir: string) => Promise<{ url: string; stop(): Promise<unknown> }>,
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), `pinkas-${name}-`));
  const server = await start(folder);
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
