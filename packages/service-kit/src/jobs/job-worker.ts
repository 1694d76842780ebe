import type { TraceHeaders } from '@pinkas/contracts';
import type { BackgroundTask } from '../process/background-task.js';
import { newContext } from '../process/context.js';
import type { Logger } from '../process/logger.js';
import { SpanKind } from '../tracing/spans.js';
import type { Tracing } from '../tracing/tracing.js';
import { type PeriodicTask, periodic, type TickResult } from './periodic-task.js';

/** How often the table is looked at, without a trigger and while nothing is due. */
const idleMs = 5_000;
/** How often while rows are in flight, which may be due again soon. */
const busyMs = 1_000;

/** A due row of a table: the request and the trace that it belongs to, and the business and document that it is about. */
export interface Job {
  readonly request_id: string | null;
  /** Absent: it belongs to none. */
  readonly trace?: TraceHeaders | null;
  /** Null: it is about no business. */
  readonly business_id: string | null;
  /** Absent: it is about no document. */
  readonly document_id?: string;
}

/** When the next row is due, by the clock of the database. */
export interface NextDue {
  readonly now: Date;
  /** Zero: one is due now; infinite: none is due at any time. */
  readonly inMs: number;
}

/**
 * Executes due rows that need the outside world. A row is claimed in SQL, executed outside of any transaction, and its outcome
 * stored. The claim of a worker that dies expires.
 */
export class JobWorker<Row extends Job> implements BackgroundTask {
  readonly #look: PeriodicTask;
  readonly #inFlight = new Set<Promise<void>>();
  /** Since the last look at the table. */
  #wasFull = false;
  /** Places for rows that are being claimed. */
  #reserved = 0;
  /** Whether the last claim found as many rows as it had places for: rows that wait come before new ones. */
  #hasBacklog = false;
  #stopped = false;

  constructor(
    private readonly options: {
      name: string;
      /** How many rows are in flight at most. */
      concurrency: number;
      /** How long a claim lasts unless `run` extends it. */
      claimMs: number;
      logger: Logger;
      tracing: Tracing;
      /** When a row is due that is not claimed; `nextDue`. A claim that expires may be seen at the next look. */
      nextDue: () => Promise<NextDue>;
      /** Claims due rows for this worker, until `until`. */
      claim: (limit: number, now: Date, until: Date) => Promise<Row[]>;
      /** Must not reject: a row whose outcome cannot be stored is claimed again when the claim expires. */
      run: (row: Row) => Promise<void>;
    },
  ) {
    this.#look = periodic(options.name, idleMs, options.logger, () => this.#tick());
  }

  start(): void {
    this.#look.start();
  }

  /** A row may be due. */
  trigger(): void {
    this.#look.trigger();
  }

  /** Whether one more row can be executed now. */
  get hasRoom(): boolean {
    return (
      !this.#stopped && !this.#hasBacklog && this.#inFlight.size + this.#reserved < this.options.concurrency
    );
  }

  /** Executes a row that was stored as claimed. @returns false where there is no room: its claim is to be released. */
  execute(row: Row): boolean {
    const { hasRoom } = this;
    if (hasRoom) {
      this.#start(row);
    }
    return hasRoom;
  }

  /** Claims nothing more, and waits for the rows in flight. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#look.stop();
    await Promise.all(this.#inFlight);
  }

  async #tick(): Promise<TickResult> {
    const { concurrency, claimMs, nextDue, claim } = this.options;
    if (this.#inFlight.size >= concurrency) {
      return busyMs;
    }
    // A row may end, and be due again, after the statement has read it.
    const isBusy = this.#inFlight.size > 0;
    const { now, inMs } = await nextDue();
    // Rows that were stored as claimed may have begun since.
    const free = concurrency - this.#inFlight.size;
    this.#hasBacklog = inMs === 0 && this.#hasBacklog;
    if (inMs > 0 || free <= 0) {
      return isBusy ? Math.min(inMs, busyMs) : inMs;
    }
    this.#reserved = free;
    const rows = await claim(free, now, new Date(now.getTime() + claimMs)).finally(() => {
      this.#reserved = 0;
    });
    this.#hasBacklog = rows.length === free;
    for (const row of rows) {
      this.#start(row);
    }
    // Also where another replica has claimed what was due.
    return busyMs;
  }

  #start(row: Row): void {
    const { name, concurrency, claimMs, tracing, run } = this.options;
    const context = newContext(claimMs, row.request_id ?? undefined);
    const { business_id, document_id } = row;
    const span = {
      kind: SpanKind.INTERNAL,
      logContext: { business_id: business_id ?? undefined, document_id },
    };
    const work = tracing
      .startEntrySpan(context, row.trace ?? null, name, span, () => run(row))
      .finally(() => {
        this.#inFlight.delete(work);
        // Not after each row: a backlog would be claimed row by row.
        if (this.#wasFull && this.#inFlight.size <= concurrency / 2) {
          this.#wasFull = false;
          this.#look.trigger();
        }
      });
    this.#inFlight.add(work);
    this.#wasFull ||= this.#inFlight.size >= concurrency;
  }
}
