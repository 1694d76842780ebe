import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Why the process is not ready, or null. Must not throw, and must be quick. */
type ReadinessCheck = () => Promise<string | null>;

/** The text that `GET /metrics` returns. */
interface MetricsSource {
  readonly contentType: string;
  text(): Promise<string>;
}

/**
 * The probes of one process on their own port: `/livez` (the event loop runs) and `/readyz` (it can do its work), each 200 or 503
 * with `{ ready, reasons, warnings }`, where a warning needs the operator before it becomes a reason; and `/metrics` for Prometheus.
 */
export class HealthServer {
  #server: Server | undefined;
  #draining = false;
  #checks: readonly ReadinessCheck[] = [];
  #warnings: () => string[] = () => [];

  constructor(private readonly metrics: MetricsSource) {}

  /** Sets what `/readyz` reports. Call it before `start`. */
  report(checks: readonly ReadinessCheck[], warnings: () => string[]): void {
    this.#checks = checks;
    this.#warnings = warnings;
  }

  /** @returns the port that it listens on. */
  async start(host: string, port: number): Promise<number> {
    const server = createServer((request, response) => void this.#answer(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    this.#server = server;
    return (server.address() as AddressInfo).port;
  }

  /** From now on the process is not ready, so that it gets no new work. */
  drain(): void {
    this.#draining = true;
  }

  async reasons(): Promise<string[]> {
    if (this.#draining) {
      return ['the process is shutting down'];
    }
    const results = await Promise.all(this.#checks.map((check) => check()));
    return results.filter((reason) => reason !== null);
  }

  /** What needs the operator before it becomes a reason. */
  warnings(): string[] {
    return this.#warnings();
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) {
      return;
    }
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  async #answer({ url }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url === '/livez') {
      json(response, 200, { live: true });
    } else if (url === '/readyz') {
      await this.#answerReady(response);
    } else if (url === '/metrics') {
      await this.#answerMetrics(response);
    } else {
      json(response, 404, { error: 'GET /livez, /readyz or /metrics' });
    }
  }

  async #answerReady(response: ServerResponse): Promise<void> {
    try {
      const reasons = await this.reasons();
      const ready = reasons.length === 0;
      json(response, ready ? 200 : 503, { ready, reasons, warnings: this.warnings() });
    } catch (error) {
      json(response, 503, { ready: false, reasons: [String(error)] });
    }
  }

  async #answerMetrics(response: ServerResponse): Promise<void> {
    try {
      const text = await this.metrics.text();
      response.writeHead(200, { 'content-type': this.metrics.contentType, 'cache-control': 'no-store' });
      response.end(text);
    } catch (error) {
      json(response, 500, { error: String(error) });
    }
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}
