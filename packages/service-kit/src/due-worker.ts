import type { TraceCarrier } from '@pinkas/contracts';
import type { Clock } from './clock.js';
import { newContext } from './context.js';
import type { Logger } from './logger.js';
import { Loop } from './loop.js';
import { SpanKind } from './tracing/spans.js';
import type { Tracing } from './tracing/tracing.js';

/** How often the table is looked at when nobody says that there is work. */
const idleMs = 500;

/** A step that stands in a table: of which request and trace it is, and what it is about. */
export interface DueRow {
  readonly request_id: string | null;
  readonly trace: TraceCarrier | null;
  readonly business_id: string;
  readonly document_id: string;
}

/**
 * Carries out the steps that stand due in a table, for what needs the outside world: a row is claimed in SQL, so that no
 * other worker takes it, worked on outside of any transaction, and its outcome stored. A worker that dies leaves a claim
 * that runs out.
 */
export class DueWorker<Row extends DueRow> {
  readonly #loop: Loop;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(
    private readonly options: {
      name: string;
      /** How many rows are worked on at once. */
      atOnceMax: number;
      /** How long a claim lasts, in milliseconds: longer than the work on a row can take. */
      claimMs: number;
      clock: Clock;
      logger: Logger;
      tracing: Tracing;
      /** Takes rows that are due, for this worker alone until `until`. */
      claim: (limit: number, now: Date, until: Date) => Promise<Row[]>;
      /** Must not reject: what cannot be stored is taken up again when the claim runs out. */
      carryOut: (row: Row) => Promise<void>;
    },
  ) {
    this.#loop = new Loop({
      name: options.name,
      idleMs,
      turn: async () => {
        await this.#turn();
        return 'idle';
      },
      logger: options.logger,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Says that a row may be due. */
  nudge(): void {
    this.#loop.nudge();
  }

  /** Takes no more rows, and waits for those in hand. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#inFlight);
  }

  async #turn(): Promise<void> {
    const { name, atOnceMax, claimMs, clock, tracing, claim, carryOut } = this.options;
    const free = atOnceMax - this.#inFlight.size;
    // The one that finishes nudges.
    if (free <= 0) return;
    const now = clock.now();
    for (const row of await claim(free, now, new Date(now.getTime() + claimMs))) {
      // The request and the trace that the step comes from go on into its log lines, messages and spans.
      const context = newContext(claimMs, row.request_id ?? undefined);
      const { business_id, document_id } = row;
      const described = { kind: SpanKind.INTERNAL, subject: { business_id, document_id } };
      const work = tracing
        .enter(context, row.trace, name, described, () => carryOut(row))
        .finally(() => {
          const wasFull = this.#inFlight.size >= atOnceMax;
          this.#inFlight.delete(work);
          if (wasFull) this.#loop.nudge();
        });
      this.#inFlight.add(work);
    }
  }
}
