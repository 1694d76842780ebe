import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { withTimeout } from '../concurrency/with-timeout.js';

export type { Counter, Histogram };

/** How long a scrape waits for one gauge: longer than a readiness check takes to fail. */
const readTimeoutMs = 1_500;
/** Histogram buckets in seconds; they include every deadline of ARCHITECTURE's table. */
const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 12, 20, 30];

/**
 * The metrics of one process, as Prometheus scrapes them from `GET /metrics` on the health port, with those of Node. Each name is
 * registered once, in a constructor. Labels have few values: never an id, and nothing personal.
 */
export class Metrics {
  readonly #registry = new Registry();

  /** @param service the value of the label `service`, where a process has several; its own metrics of Node are another's then. */
  constructor(service?: string) {
    if (service === undefined) {
      // The default of 10 ms wakes an idle process a hundred times a second; a stall that lasts is seen in any case.
      collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 250 });
    } else {
      this.#registry.setDefaultLabels({ service });
    }
  }

  /**
   * A number that only increases; `counter.inc({ outcome: 'sent' })`.
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
   * A counter for each value of a label, of what something else counts already; each scrape reads it.
   * @param name `pinkas_…_total`.
   * @param read the counts by label, since the start of the process.
   */
  counters(
    name: string,
    help: string,
    labelName: string,
    read: () => Iterable<readonly [label: string, count: number]>,
  ): void {
    new Counter({
      name,
      help,
      labelNames: [labelName],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [label, count] of read()) {
          this.inc({ [labelName]: label }, count);
        }
      },
    });
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
   * A number that each scrape reads. It is left out where it cannot be read in time, since an old value would look like a new one.
   * @param name `pinkas_…`, with its unit last.
   */
  gauge(name: string, help: string, read: () => Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        const value = await inTime(read());
        if (value === null) {
          this.remove();
        } else {
          this.set(value);
        }
      },
    });
  }

  /**
   * A gauge for each value of a label; one call reads them all.
   * @param read the values by label.
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
        for (const [label, value] of values ?? []) {
          this.set({ [labelName]: label }, value);
        }
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

  /** The metrics of a process and of all services in it, each name once. */
  static async joined(all: readonly Metrics[]): Promise<string> {
    const read = await Promise.all(all.map((metrics) => metrics.#registry.getMetricsAsJSON()));
    return AggregatorRegistry.aggregate(read).metrics();
  }
}

/** The value, or null where it cannot be read in time. */
function inTime<T>(reading: Promise<T>): Promise<T | null> {
  return withTimeout(
    reading.catch(() => null),
    readTimeoutMs,
    () => null,
  );
}

/** The seconds since an instant of `performance.now()`. */
export function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1_000;
}
