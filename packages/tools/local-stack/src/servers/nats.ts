import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { requireBinary } from './binaries.js';
import { serverEnvironment } from './config.js';
import { type RunningServer, type ServerOptions, startServer } from './server.js';

/** The fields of a server's INFO message that are read here. */
interface ServerInfo {
  server_name?: string;
  jetstream?: boolean;
}

/** Reads the INFO line that a NATS server sends first. */
function readInfo(port: number): Promise<ServerInfo | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on('data', (bytes) => {
      text += bytes.toString('utf8');
      const line = /^INFO (\{.*\})\s*\r\n/.exec(text)?.[1];
      if (line !== undefined) {
        resolve(JSON.parse(line) as ServerInfo);
        socket.destroy();
      }
    });
    socket.on('error', () => resolve(null));
    socket.on('close', () => resolve(null));
  });
}

/**
 * Starts NATS with JetStream, whose streams are files in `dataDir`.
 *
 * @param options - `payloadBytesMax` is the largest message; default 1 MB. `authorization` is that part of the server's
 * configuration; by default every client may connect.
 * @throws Error when the machine has no nats-server, and what {@link startServer} throws.
 */
export async function startNats(
  options: ServerOptions & { payloadBytesMax?: number; authorization?: string },
): Promise<RunningServer> {
  const file = requireBinary('nats-server');
  // One name for each data folder: it is stable over restarts, and identifies the server on the port.
  const serverName = `pinkas-${createHash('sha256').update(options.dataDir).digest('hex').slice(0, 12)}`;
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const configFile = join(options.dataDir, 'nats.conf');
  writeFileSync(
    configFile,
    [
      `server_name: ${JSON.stringify(serverName)}`,
      `jetstream { store_dir: ${JSON.stringify(options.dataDir)} }`,
      // A connection that answers no ping for 10 s is closed, so that nothing is delivered to it (ADR 0067).
      'ping_interval: "2s"',
      'ping_max: 4',
      ...(options.payloadBytesMax === undefined ? [] : [`max_payload: ${options.payloadBytesMax}`]),
      options.authorization ?? '',
      '',
    ].join('\n'),
    { mode: 0o600 },
  );
  return startServer(
    {
      name: 'nats',
      file,
      args: (port) => ['--config', configFile, '--addr', '127.0.0.1', '--port', String(port)],
      env: serverEnvironment,
      stopSignal: 'SIGTERM',
      parentDeathSignal: 'SIGTERM',
      answers: async (port) => {
        const info = await readInfo(port);
        return info?.server_name === serverName && info.jetstream === true;
      },
      url: (port) => `nats://127.0.0.1:${port}`,
    },
    options,
  );
}
