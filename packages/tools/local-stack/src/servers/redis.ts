import { connect } from 'node:net';
import { requireBinary } from './binaries.js';
import { serverEnvironment } from './config.js';
import { type RunningServer, type ServerOptions, startServer } from './server.js';

/** The process id of the Redis server on this port, or null when none answers. */
function redisPid(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write('INFO server\r\n'));
    let text = '';
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on('data', (bytes) => {
      text += bytes.toString('utf8');
      const pid = /^process_id:(\d+)\r\n/m.exec(text)?.[1];
      if (pid !== undefined) {
        resolve(Number(pid));
        socket.destroy();
      } else if (text.startsWith('-')) {
        socket.destroy();
      }
    });
    socket.on('error', () => resolve(null));
    socket.on('close', () => resolve(null));
  });
}

/**
 * Starts Redis without persistence: its counters expire after a minute.
 *
 * @throws Error when the machine has no redis-server, and what {@link startServer} throws.
 */
export async function startRedis(options: ServerOptions): Promise<RunningServer> {
  const file = requireBinary('redis-server');
  return startServer(
    {
      name: 'redis',
      file,
      args: (port) => [
        ...['--bind', '127.0.0.1', '--port', String(port), '--dir', options.dataDir],
        ...['--daemonize', 'no', '--save', '', '--appendonly', 'no'],
      ],
      env: serverEnvironment,
      stopSignal: 'SIGTERM',
      parentDeathSignal: 'SIGTERM',
      answers: async (port, pid) => (await redisPid(port)) === pid,
      url: (port) => `redis://127.0.0.1:${port}`,
    },
    options,
  );
}
