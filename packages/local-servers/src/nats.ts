import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findBinary } from './binaries.js';
import { serverEnvironment } from './config.js';
import { type RunningServer, type ServerOptions, startServer } from './server.js';

/** What a server says about itself to whoever connects; only what is looked at here. */
interface ServerInfo {
  server_name?: string;
  jetstream?: boolean;
}

/** Reads the greeting line that a NATS server sends first. */
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
 * @param options - with `payloadBytesMax`, the largest message; default the server's own, 1 MB. With `authorization`, the part
 * of the server's configuration that says who may connect; default: anybody.
 * @throws Error when the machine has no nats-server; else as every server.
 */
export async function startNats(
  options: ServerOptions & { payloadBytesMax?: number; authorization?: string },
): Promise<RunningServer> {
  const file = findBinary('nats-server');
  if (file === null) {
    throw new Error('nats-server is not installed on this machine');
  }
  // One name per data folder: it survives restarts and tells our server from a stranger's on the same port.
  const serverName = `pinkas-${createHash('sha256').update(options.dataDir).digest('hex').slice(0, 12)}`;
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const configFile = join(options.dataDir, 'nats.conf');
  writeFileSync(
    configFile,
    [
      `server_name: ${JSON.stringify(serverName)}`,
      `jetstream { store_dir: ${JSON.stringify(options.dataDir)} }`,
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
