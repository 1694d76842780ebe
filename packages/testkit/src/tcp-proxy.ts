import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';

/**
 * Forwards TCP connections to a server, and can cut them off as a broken network does: nothing passes in either direction, and
 * neither end notices.
 */
export class TcpProxy {
  readonly #pairs = new Set<[Socket, Socket]>();
  #cut = false;

  private constructor(
    private readonly server: Server,
    private readonly target: { host: string; port: number },
  ) {
    server.on('connection', (client) => this.#accept(client));
  }

  /** @param targetUrl the host and port to forward to. */
  static async start(targetUrl: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(targetUrl);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TcpProxy(server, { host: hostname, port: Number(port) });
  }

  /** `host:port`. */
  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The open connections of clients. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Lets nothing pass any more. Connections stay open, and new ones are accepted and stay silent. */
  cut(): void {
    this.#cut = true;
    for (const socket of [...this.#pairs].flat()) {
      socket.pause();
    }
  }

  /** Lets everything pass again, beginning with what was held back. */
  forward(): void {
    this.#cut = false;
    for (const socket of [...this.#pairs].flat()) {
      socket.resume();
    }
  }

  /** Ends every connection by a reset, and lets new ones pass. */
  reset(): void {
    this.#cut = false;
    for (const socket of [...this.#pairs].flat()) {
      socket.resetAndDestroy();
    }
  }

  async stop(): Promise<void> {
    this.reset();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #accept(client: Socket): void {
    const server = dial(this.target);
    const pair: [Socket, Socket] = [client, server];
    this.#pairs.add(pair);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (data) => to.write(data));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
      if (this.#cut) {
        from.pause();
      }
    };
    pass(client, server);
    pass(server, client);
  }
}
