import { type Counter, type Histogram, Metrics } from '@pinkas/service-kit/process';
import type { PagePool } from './page-pool.js';
import type { PageEnd } from './print-errors.js';

/** How a request to print ended. */
export type PrintOutcome = 'printed' | 'refused' | 'rejected' | 'timed_out' | 'failed' | 'abandoned';

/** The metrics of the printer. */
export class PrinterMetrics {
  readonly source = new Metrics();
  readonly #prints: Counter<'outcome'>;
  readonly #durations: Histogram<'part'>;
  readonly #pagesClosed: Counter<'reason'>;
  readonly #starts: Counter;

  constructor() {
    this.#prints = this.source.counter('pinkas_prints_total', 'Requests to print, by how they ended.', [
      'outcome',
    ]);
    this.#durations = this.source.histogram(
      'pinkas_print_duration_seconds',
      'How long documents waited for a page, and how long they were printed.',
      ['part'],
    );
    this.#pagesClosed = this.source.counter(
      'pinkas_printer_pages_closed_total',
      'Pages of Chromium that were closed, by reason.',
      ['reason'],
    );
    this.#starts = this.source.counter('pinkas_chromium_starts_total', 'How often Chromium was started.');
  }

  /** Registers what is read from the server at each scrape. */
  watch(pool: PagePool, isReady: () => Promise<boolean>): void {
    this.source.gauges('pinkas_printer_pages', 'Pages of Chromium, by what they do.', 'state', async () => {
      const { idle, printing } = pool.state;
      return [
        ['idle', idle],
        ['printing', printing],
      ];
    });
    this.source.gauge(
      'pinkas_prints_queued',
      'Documents that wait for a page.',
      async () => pool.state.queued,
    );
    this.source.gauge(
      'pinkas_chromium_memory_bytes',
      'Memory of all processes of Chromium, without what they share.',
      async () => pool.state.memoryBytes,
    );
    this.source.gauge(
      'pinkas_chromium_sandboxed',
      '1 while the sandbox isolates the pages, else 0.',
      async () => Number(pool.state.isSandboxed),
    );
    this.source.gauge('pinkas_ready', '1 while the process is ready, else 0.', async () =>
      Number(await isReady()),
    );
  }

  printEnded(outcome: PrintOutcome): void {
    this.#prints.inc({ outcome });
  }

  printTook(part: 'queue' | 'print', seconds: number): void {
    this.#durations.observe({ part }, seconds);
  }

  pageClosed(reason: PageEnd): void {
    this.#pagesClosed.inc({ reason });
  }

  chromiumStarted(): void {
    this.#starts.inc();
  }
}
