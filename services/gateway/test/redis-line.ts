import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy between the gateway and its Redis, whose connections a test can cut or stall, and restore. */
export interface RedisLine {
  readonly url: string;
  /** Closes every connection and accepts none. */
  cut(): void;
  /** Keeps connections open and forwards nothing. */
  hang(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function openRedisLine(redisUrl: string): Promise<RedisLine> {
  const target = new URL(redisUrl);
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'hanging' = 'open';
  const endAll = () => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  const pipe = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (chunk) => state === 'open' && to.write(chunk));
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((socket) => {
    if (state === 'cut') {
      return socket.destroy();
    }
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
    restore: () => {
      // A connection that was stalled has lost bytes.
      endAll();
      state = 'open';
    },
    close: async () => {
      endAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
