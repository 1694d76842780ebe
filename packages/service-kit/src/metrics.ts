import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type { Counter, Gauge };

/** How long a scrape waits for one gauge. */
const readTimeoutMs = 1_000;

/**
 * The numbers of one process, as Prometheus scrapes them from `GET /metrics` on the health port, with the process's and the event
 * loop's own. Injected by its class; each name is registered once, in a constructor. Labels hold words of ours only: never an
 * id, and nothing personal.
 */
export class Metrics {
  readonly #registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  /**
   * A number that only grows; `counter.inc({ outcome: 'sent' })`.
   * @param name `pinkas_…_total`.
   */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  /**
   * A number that is read when it is asked for. Where it cannot be read in a second it is left out of the answer, since an old
   * value would look like a new one.
   * @param name `pinkas_…`, with its unit last.
   */
  gauge(name: string, help: string, read: () => Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        const timeout = new Promise<null>((resolve) => setTimeout(resolve, readTimeoutMs, null).unref());
        const value = await Promise.race([read().catch(() => null), timeout]);
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Everything in the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
