import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type { Counter, Gauge, Histogram };

/** How long a scrape waits for one gauge: longer than a readiness check takes to say no. */
const readTimeoutMs = 1_500;
/**
 * The bounds by which durations are told, in seconds. The deadlines of ARCHITECTURE's table stand among them, so that the share
 * of what came near its deadline can be told; the small ones tell what a statement, a question and a printing usually take.
 */
const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 12, 20, 30];

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
   * How long something took; `histogram.observe({ contract }, seconds)`.
   * @param name `pinkas_…_seconds`.
   */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets: durationBounds, registers: [this.#registry] });
  }

  /**
   * A number that is read when it is asked for. Where it cannot be read in time it is left out of the answer, since an old
   * value would look like a new one.
   * @param name `pinkas_…`, with its unit last.
   */
  gauge(name: string, help: string, read: () => Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        const value = await inTime(read());
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  }

  /**
   * A number for each value of a label, like `gauge`; all of them are read at once.
   * @param read the numbers by their label.
   */
  gauges(
    name: string,
    help: string,
    labelName: string,
    read: () => Promise<Iterable<readonly [label: string, value: number]>>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: [labelName],
      registers: [this.#registry],
      async collect() {
        const values = await inTime(read());
        this.reset();
        for (const [label, value] of values ?? []) this.set({ [labelName]: label }, value);
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

/** What was read, or null where it could not be read in time. */
function inTime<T>(reading: Promise<T>): Promise<T | null> {
  const timeout = new Promise<null>((resolve) => setTimeout(resolve, readTimeoutMs, null).unref());
  return Promise.race([reading.catch(() => null), timeout]);
}

/** The seconds since an instant of `performance.now()`. */
export function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1_000;
}
