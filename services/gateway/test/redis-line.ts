import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The line between the gateway and its Redis, which a test can cut, or let hang, and mend. */
export interface RedisLine {
  readonly url: string;
  /** No connection stands, and none is accepted. */
  cut(): void;
  /** Connections stand, and nothing comes through. */
  hang(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openRedisLine(redisUrl: string): Promise<RedisLine> {
  const target = new URL(redisUrl);
  const open = new Set<Socket>();
  let state: 'mended' | 'cut' | 'hanging' = 'mended';
  const endAll = () => {
    for (const socket of open) socket.destroy();
  };
  const pipe = (from: Socket, to: Socket) => {
    open.add(from);
    from.on('data', (chunk) => state === 'mended' && to.write(chunk));
    from.on('error', () => {});
    from.on('close', () => {
      open.delete(from);
      to.destroy();
    });
  };
  const server = createServer((socket) => {
    if (state === 'cut') return socket.destroy();
    const redis = connect(Number(target.port), target.hostname);
    pipe(socket, redis);
    pipe(redis, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      state = 'cut';
      endAll();
    },
    hang: () => {
      state = 'hanging';
    },
    mend: () => {
      // What hung has lost bytes on the way.
      endAll();
      state = 'mended';
    },
    close: async () => {
      endAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
