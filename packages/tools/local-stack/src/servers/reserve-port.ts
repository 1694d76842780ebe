import { createServer, type Server } from 'node:net';

const host = '127.0.0.1';

/**
 * Ports are chosen below the range of outgoing connections (32768 and up on Linux), so that no client socket uses the port of
 * a server that restarts.
 */
const firstPort = 20_000;
const lastPort = 31_999;

const attemptsMax = 200;

/** Another process uses the requested port. */
export class PortBusyError extends Error {
  override readonly name = 'PortBusyError';

  constructor(readonly port: number) {
    super(`port ${port} on ${host} is in use by another process`);
  }
}

/** A port that no other process can bind until it is released. */
export interface ReservedPort {
  port: number;
  /** Releases the port, right before its server binds it. Can be called again. */
  release(): Promise<void>;
}

function listen(port: number): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') {
        resolve(null);
      } else {
        reject(error);
      }
    });
    server.listen({ port, host, exclusive: true }, () => {
      server.unref();
      resolve(server);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

/** Whether a server could bind the port on 127.0.0.1 now. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server === null) {
    return false;
  }
  await close(server);
  return true;
}

/**
 * Binds a port of 127.0.0.1.
 *
 * @param wanted - the port; without it, a random free one.
 * @throws PortBusyError when `wanted` is in use.
 */
export async function reservePort(wanted?: number): Promise<ReservedPort> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const port = wanted ?? firstPort + Math.floor(Math.random() * (lastPort - firstPort + 1));
    const server = await listen(port);
    if (server !== null) {
      return { port, release: () => close(server) };
    }
    if (wanted !== undefined) {
      throw new PortBusyError(wanted);
    }
  }
  throw new Error(`no free port between ${firstPort} and ${lastPort} on ${host}`);
}
