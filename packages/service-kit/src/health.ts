import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Says in plain words why the process is not ready, or null when it is. Must not throw, and must be quick. */
export type ReadinessCheck = () => Promise<string | null>;

/** What `GET /metrics` answers with. */
export interface Scraped {
  readonly contentType: string;
  /** Must be quick. */
  text(): Promise<string>;
}

/**
 * The probes of one process on a port of their own: `/livez` (the event loop turns) and `/readyz` (it can do its work),
 * each 200 or 503 with `{ ready, reasons, warnings }`, where a warning is what an operator has to see to before it is a reason;
 * and `/metrics` for Prometheus.
 */
export class HealthServer {
  #server: Server | undefined;
  #draining = false;

  constructor(
    private readonly checks: readonly ReadinessCheck[],
    private readonly metrics: Scraped,
    private readonly warnings: () => string[] = () => [],
  ) {}

  /** @returns the port that it listens on. */
  async start(host: string, port: number): Promise<number> {
    const server = createServer((request, response) => {
      const answer = (status: number, body: object) => {
        response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
        response.end(`${JSON.stringify(body)}\n`);
      };
      if (request.url === '/livez') return answer(200, { live: true });
      if (request.url === '/metrics') {
        this.metrics.text().then(
          (text) => {
            response.writeHead(200, {
              'content-type': this.metrics.contentType,
              'cache-control': 'no-store',
            });
            response.end(text);
          },
          (error: unknown) => answer(500, { error: String(error) }),
        );
        return;
      }
      if (request.url !== '/readyz') return answer(404, { error: 'GET /livez, /readyz or /metrics' });
      this.reasons().then(
        (reasons) => {
          const ready = reasons.length === 0;
          answer(ready ? 200 : 503, { ready, reasons, warnings: this.warnings() });
        },
        (error: unknown) => answer(503, { ready: false, reasons: [String(error)] }),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    this.#server = server;
    return (server.address() as AddressInfo).port;
  }

  /** From now on the process is not ready, so that no new work is sent to it. */
  drain(): void {
    this.#draining = true;
  }

  async reasons(): Promise<string[]> {
    if (this.#draining) return ['the process is shutting down'];
    const found = await Promise.all(this.checks.map((check) => check()));
    return found.filter((reason) => reason !== null);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
