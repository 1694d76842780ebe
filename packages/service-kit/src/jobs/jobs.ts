import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../clock.js';
import { databaseNow } from '../db/database-now.js';
import { acrossTenants, type Database, forTenant } from '../db/tenant-scope.js';
import type { BackgroundTask } from '../process/background-task.js';
import type { Logger } from '../process/logger.js';
import type { Counter, Metrics } from '../process/metrics.js';
import type { Tracing } from '../tracing/tracing.js';
import {
  type ClaimedJob,
  claimJobs,
  endAttempt,
  extendClaim,
  type JobFigures,
  type JobKey,
  jobFigures,
  type NextState,
  nextDueJob,
} from './job.repository.js';
import {
  AbandonedError,
  ClaimLostError,
  errorText,
  type JobKind,
  type JobRun,
  ProcessStoppingError,
  type Stored,
} from './job-kind.js';
import type { JobTables } from './job-table.js';
import { JobWorker } from './job-worker.js';

/** How long a claim lasts after it was extended: after so long the job of a process that died is taken over. */
const claimMs = 60_000;
/** How often an attempt extends its claim. */
const extendEveryMs = 2_000;
/** How often jobs are added that no request adds. */
const addEveryMs = 15_000;

type Trx = Transaction<JobTables>;
type Kind = JobKind<JobTables>;

interface JobParts {
  /** Of the service, without a scope. */
  readonly db: Database<JobTables>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracing: Tracing;
  readonly metrics: Metrics;
  /** Runs `work` in a transaction, and sends the events that it has published. */
  readonly transaction: (db: Kysely<JobTables>, work: (trx: Trx) => Promise<void>) => Promise<void>;
}

/** A kind with what executes its jobs in this process. */
interface KnownKind {
  readonly kind: Kind;
  readonly worker: JobWorker<ClaimedJob>;
  /** When jobs were added that no request adds, on the clock of `performance`. */
  addedMs: number;
}

/**
 * Executes the jobs of a service. A job is claimed in SQL, attempted outside of any transaction, and ended in one. The claim is
 * extended while the attempt lasts; that of a process that died expires.
 */
export class Jobs implements BackgroundTask {
  readonly #known = new Map<string, KnownKind>();
  readonly #stopping = new AbortController();
  #attempts: Counter<'kind' | 'outcome'> | undefined;

  constructor(private readonly parts: JobParts) {}

  /** Adds a kind, before the start. */
  add(kind: Kind): void {
    const { db, clock, logger, tracing, metrics } = this.parts;
    const all = acrossTenants(db);
    if (this.#known.size === 0) {
      this.#registerMetrics(metrics);
    }
    const worker = new JobWorker<ClaimedJob>({
      name: `${kind.kind}-jobs`,
      ...{ concurrency: kind.concurrency, claimMs, logger, tracing },
      nextDue: async () => {
        await this.#addDue(all, known);
        return nextDueJob(all, clock, kind.kind);
      },
      claim: (limit, now, until) => claimJobs(all, kind, { limit, now, until }),
      run: (row) => this.#execute(kind, row),
    });
    const known: KnownKind = { kind, worker, addedMs: Number.NEGATIVE_INFINITY };
    this.#known.set(kind.kind, known);
  }

  start(): void {
    for (const { worker } of this.#known.values()) {
      worker.start();
    }
  }

  /** A job of the kind may be due. */
  trigger(kind: string): void {
    const known = this.#of(kind);
    known.addedMs = Number.NEGATIVE_INFINITY;
    known.worker.trigger();
  }

  /** Attempts the jobs of a kind that are due, or the one with a key, and waits for them; not those in flight. */
  async runNow(kind: string, key?: JobKey): Promise<void> {
    const { db, clock } = this.parts;
    const known = this.#of(kind);
    const all = acrossTenants(db);
    if (!key) {
      known.addedMs = Number.NEGATIVE_INFINITY;
      await this.#addDue(all, known);
    }
    let claimed: ClaimedJob[];
    do {
      const now = await databaseNow(all, clock);
      const until = new Date(now.getTime() + claimMs);
      claimed = await claimJobs(all, known.kind, { limit: 1, now, until, key });
      await Promise.all(claimed.map((row) => this.#execute(known.kind, row)));
    } while (claimed.length > 0 && !key);
  }

  /** Claims nothing more, and waits for the attempts in flight; those that are interruptible end. */
  async stop(): Promise<void> {
    this.#stopping.abort(new ProcessStoppingError('the process stops'));
    await Promise.all([...this.#known.values()].map(({ worker }) => worker.stop()));
  }

  /** The jobs of each kind. */
  async figures(): Promise<JobFigures[]> {
    const all = acrossTenants(this.parts.db);
    return jobFigures(all, [...this.#known.keys()], await databaseNow(all, this.parts.clock));
  }

  #registerMetrics(metrics: Metrics): void {
    this.#attempts = metrics.counter(
      'pinkas_job_attempts_total',
      'Attempts of jobs by outcome: done, again (another step follows), failed, or dead_lettered.',
      ['kind', 'outcome'],
    );
    metrics.gauges('pinkas_jobs_dead_lettered', 'Jobs that wait for an operator.', 'kind', async () =>
      (await this.figures()).map(({ kind, dead }) => [kind, dead]),
    );
    metrics.gauges(
      'pinkas_jobs_late_seconds',
      'Time since the oldest due job was due that no process attempts; 0 where there is none.',
      'kind',
      async () => (await this.figures()).map(({ kind, late_seconds }) => [kind, late_seconds]),
    );
  }

  #of(kind: string): KnownKind {
    const known = this.#known.get(kind);
    if (!known) {
      throw new Error(`the service has no jobs of the kind ${kind}`);
    }
    return known;
  }

  async #addDue(all: Database<JobTables>, known: KnownKind): Promise<void> {
    const startedMs = performance.now();
    if (known.kind.addDue && startedMs - known.addedMs >= addEveryMs) {
      await known.kind.addDue(all, await databaseNow(all, this.parts.clock));
      known.addedMs = startedMs;
    }
  }

  /** Never rejects: what could not be stored is attempted again when the claim expires. */
  async #execute(kind: Kind, row: ClaimedJob): Promise<void> {
    const ending = new AbortController();
    let report: () => Promise<unknown> = async () => {};
    const job: JobRun = {
      ...{ ...row, business_id: row.business_id ?? '' },
      now: new Date(row.claimed_until.getTime() - claimMs),
      signal: kind.isInterruptible ? AbortSignal.any([this.#stopping.signal, ending.signal]) : ending.signal,
      abort: (reason) => ending.abort(reason),
      onProgress: (reported) => {
        report = reported;
      },
    };
    const extending = this.#extend(row, job, () => report());
    try {
      await this.#attempt(kind, row, job).finally(() => extending.stop());
    } catch (error) {
      const fields = fieldsOf(row);
      if (error instanceof ClaimLostError) {
        this.parts.logger.warn(fields, `${kind.kind} claim lost`);
      } else {
        this.parts.logger.error({ ...fields, err: error }, `${kind.kind} outcome not stored`);
      }
    }
  }

  async #attempt(kind: Kind, row: ClaimedJob, job: JobRun): Promise<void> {
    try {
      if (row.was_claimed) {
        const before = { ...job, attempts: job.attempts - 1 };
        const error = new AbandonedError('the process of the last attempt died');
        if (kind.retryAt(before, error, job.now) === null) {
          return await this.#fail(kind, row, before, error);
        }
      }
      const { dueAt, reason, stored } = await kind.run(job);
      const attempts = reason === null ? 0 : row.attempts;
      await this.#end(row, dueAt ? { state: 'due', dueAt, attempts, reason } : { state: 'deleted' }, stored);
      this.#count(kind, outcomeOf(dueAt, reason));
    } catch (error) {
      // What is aborted fails with an error of its own.
      await this.#fail(kind, row, job, job.signal.aborted ? job.signal.reason : error);
    }
  }

  /** Stores what becomes of a job whose attempt has failed. @throws ClaimLostError */
  async #fail(kind: Kind, row: ClaimedJob, job: JobRun, error: unknown): Promise<void> {
    const { db, clock, logger } = this.parts;
    if (error instanceof ClaimLostError) {
      throw error;
    }
    const fields = { ...fieldsOf(row), attempt: job.attempts };
    const now = await databaseNow(db, clock);
    const stored = (dueAt: Date | null) => (trx: Trx) =>
      kind.failed ? kind.failed(trx, job, error, dueAt) : Promise.resolve();
    if (error instanceof ProcessStoppingError) {
      const attempts = row.attempts - 1;
      await this.#end(row, { state: 'due', dueAt: now, attempts, reason: null }, stored(now));
      logger.info(fields, `${kind.kind} interrupted`);
      return;
    }
    const dueAt = kind.retryAt(job, error, now);
    const reason = errorText(error);
    if (dueAt) {
      await this.#end(row, { state: 'due', dueAt, attempts: row.attempts, reason }, stored(dueAt));
      this.#count(kind, 'failed');
      logger.warn({ ...fields, err: error }, `${kind.kind} attempt failed`);
      return;
    }
    await this.#end(row, kind.failed ? { state: 'deleted' } : { state: 'dead', now, reason }, stored(null));
    this.#count(kind, kind.failed ? 'failed' : 'dead_lettered');
    // Where the kind stores it, who asked for the work sees it.
    logger[kind.failed ? 'warn' : 'error']({ ...fields, err: error }, `${kind.kind} failed`);
  }

  /** @throws ClaimLostError where another attempt has begun: nothing is stored. */
  #end(row: ClaimedJob, next: NextState, stored: Stored<Trx> | undefined): Promise<void> {
    const { db, transaction } = this.parts;
    const scope = row.business_id === null ? acrossTenants(db) : forTenant(db, row.business_id);
    return transaction(scope, async (trx) => {
      if (!(await endAttempt(trx, row, next))) {
        throw new ClaimLostError('another attempt of the job has begun');
      }
      await stored?.(trx);
    });
  }

  #count({ kind }: Kind, outcome: Outcome): void {
    this.#attempts?.inc({ kind, outcome });
  }

  /** Extends the claim of an attempt until it is stopped. */
  #extend(row: ClaimedJob, job: JobRun, report: () => Promise<unknown>): { stop(): Promise<void> } {
    const { db, clock, logger } = this.parts;
    const all = acrossTenants(db);
    let extendedMs = performance.now();
    let extension: Promise<void> | undefined;
    const extend = async () => {
      const startedMs = performance.now();
      try {
        const now = await databaseNow(all, clock);
        if (!(await extendClaim(all, row, new Date(now.getTime() + claimMs)))) {
          job.abort(new ClaimLostError('another attempt of the job has begun'));
          return;
        }
        extendedMs = startedMs;
        await report();
      } catch (error) {
        logger.warn({ ...fieldsOf(row), err: error }, `${row.kind} claim not extended`);
        // Another process is about to take it over.
        if (performance.now() - extendedMs > claimMs) {
          job.abort(new ClaimLostError('the claim of the job could not be extended'));
        }
      }
    };
    const timer = setInterval(() => {
      extension ??= extend().finally(() => {
        extension = undefined;
      });
    }, extendEveryMs);
    return {
      stop: async () => {
        clearInterval(timer);
        await extension;
      },
    };
  }
}

type Outcome = 'done' | 'again' | 'failed' | 'dead_lettered';

function outcomeOf(dueAt: Date | null, reason: string | null): Outcome {
  if (dueAt === null) {
    return 'done';
  }
  return reason === null ? 'again' : 'failed';
}

const fieldsOf = ({ business_id, id }: JobKey) => ({
  ...(business_id !== null && { business_id }),
  job_id: id,
});
