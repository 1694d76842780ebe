import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';

/** How slowly bytes pass; zero: at once. */
interface Pace {
  /** How late each byte arrives. */
  readonly delayMs: number;
  /** How many bytes pass in a second, in each direction of each connection. */
  readonly bytesPerS: number;
}

/** What becomes of the commit of a transaction: it passes; its answer is lost with the connection; it is lost itself as well. */
type CommitFate = 'passes' | 'answer lost' | 'lost';

const atOnce: Pace = { delayMs: 0, bytesPerS: 0 };
/** How often a slow connection passes some bytes. */
const ticksPerS = 10;
/** How long the server may take to answer a commit whose answer is then lost. */
const commitMs = 20_000;
/** PostgreSQL's message for the statement: type, length, text, zero. */
const commitMessages = ['commit', 'COMMIT'].map((text) => Buffer.from(`Q\0\0\0\x0b${text}\0`));
const isCommit = (data: Buffer) => commitMessages.some((message) => data.includes(message));

/**
 * Forwards TCP connections to a server, and can treat them as a broken network does: swallow everything in both directions so that
 * neither end notices, slow it down, or reset it.
 */
export class TcpProxy {
  readonly #pairs = new Set<[Socket, Socket]>();
  #cut = false;
  #pace = atOnce;
  #commitFate: CommitFate = 'passes';

  private constructor(
    private readonly server: Server,
    private readonly target: () => string,
  ) {
    server.on('connection', (client) => this.#accept(client));
  }

  /** @param target the URL whose host and port each connection is forwarded to. */
  static async start(target: string | (() => string)): Promise<TcpProxy> {
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TcpProxy(server, typeof target === 'string' ? () => target : target);
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

  /** Lets everything pass again at once, beginning with what was held back. */
  forward(): void {
    this.#cut = false;
    this.#pace = atOnce;
    this.#commitFate = 'passes';
    for (const socket of [...this.#pairs].flat()) {
      socket.resume();
    }
  }

  /** Ends every connection by a reset, and lets new ones pass. */
  reset(): void {
    this.forward();
    for (const socket of [...this.#pairs].flat()) {
      socket.resetAndDestroy();
    }
  }

  /** Slows everything down. */
  slow(pace: Partial<Pace>): void {
    this.#pace = { ...atOnce, ...pace };
  }

  /** Resets each connection to PostgreSQL on which a transaction is committed. */
  breakCommits(fate: CommitFate): void {
    this.#commitFate = fate;
  }

  async stop(): Promise<void> {
    this.reset();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #accept(client: Socket): void {
    const { hostname, port } = new URL(this.target());
    const server = dial({ host: hostname, port: Number(port), noDelay: true });
    const pair: [Socket, Socket] = [client, server];
    this.#pairs.add(pair);
    const join = (from: Socket, to: Socket) => {
      const lane = new Lane(to, () => this.#pace);
      from.on('data', (data: Buffer) => {
        if (from === client && this.#commitFate !== 'passes' && isCommit(data)) {
          this.#breakCommit(pair, data);
        } else {
          lane.send(data);
        }
      });
      from.on('end', () => lane.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
      if (this.#cut) {
        from.pause();
      }
    };
    join(client, server);
    join(server, client);
  }

  #breakCommit([client, server]: [Socket, Socket], commit: Buffer): void {
    server.removeAllListeners('data');
    if (this.#commitFate === 'lost') {
      client.resetAndDestroy();
      return;
    }
    // A reset would overtake what the server has not read yet: it is sent when the server has answered.
    const lose = () => client.resetAndDestroy();
    const timer = setTimeout(lose, commitMs);
    server.once('data', lose);
    server.once('close', () => clearTimeout(timer));
    server.write(commit);
  }
}

/** One direction of a connection. */
class Lane {
  readonly #waiting: { data: Buffer; dueMs: number }[] = [];
  #isPumping = false;
  #isEnded = false;

  constructor(
    private readonly to: Socket,
    private readonly pace: () => Pace,
  ) {}

  send(data: Buffer): void {
    const { delayMs, bytesPerS } = this.pace();
    if (!this.#isPumping && delayMs === 0 && bytesPerS === 0) {
      this.to.write(data);
      return;
    }
    this.#waiting.push({ data, dueMs: performance.now() + delayMs });
    void this.#pump();
  }

  end(): void {
    this.#isEnded = true;
    if (!this.#isPumping) {
      this.to.end();
    }
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) {
      return;
    }
    this.#isPumping = true;
    while (this.#waiting.length > 0 && !this.to.destroyed) {
      await this.#sendNext();
    }
    this.#isPumping = false;
    if (this.#isEnded) {
      this.to.end();
    }
  }

  /** Sends the bytes that come next when it is their time. */
  async #sendNext(): Promise<void> {
    const next = this.#waiting[0] as { data: Buffer; dueMs: number };
    const { delayMs, bytesPerS } = this.pace();
    if (delayMs > 0 && next.dueMs > performance.now()) {
      await pass(Math.min(next.dueMs - performance.now(), 1_000 / ticksPerS));
      return;
    }
    const count = bytesPerS === 0 ? next.data.length : Math.max(1, Math.floor(bytesPerS / ticksPerS));
    this.to.write(next.data.subarray(0, count));
    next.data = next.data.subarray(count);
    if (next.data.length === 0) {
      this.#waiting.shift();
    }
    if (bytesPerS > 0) {
      await pass(1_000 / ticksPerS);
    }
  }
}
