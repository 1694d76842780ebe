import type { RawBuilder } from 'kysely';
import type { Database, Transaction } from '../db/tenant-scope.js';
import { ApiError } from '../process/api-error.js';

/** What an attempt knows of its job. */
export interface JobRun {
  /** Empty: it is about no business. */
  readonly business_id: string;
  readonly id: string;
  /** Attempts that have begun since the last step that succeeded, this one included. */
  readonly attempts: number;
  /** When it was requested. */
  readonly since: Date;
  /** When the attempt began, on the clock of the database. */
  readonly now: Date;
  /** Of this attempt: what another has claimed since is not changed by it. */
  readonly claim_id: string;
  /** Aborted where the attempt has to end: its claim is lost, or the process stops and the kind is interruptible. */
  readonly signal: AbortSignal;
  /** Ends the attempt. @param reason what it fails with. */
  abort(reason: Error): void;
  /** Sets what is done every two seconds while it runs: to store its progress, or to end it. */
  onProgress(report: () => Promise<unknown>): void;
}

/** What is stored in the transaction that stores the end of an attempt. */
export type Stored<Trx> = (trx: Trx) => Promise<unknown>;

/** How an attempt ends that has not failed. */
export interface JobEnd<Trx> {
  /** Null: the job is done. */
  readonly dueAt: Date | null;
  /** Why the step has failed; null: it has not, and attempts are counted from none. */
  readonly reason: string | null;
  readonly stored: Stored<Trx> | undefined;
}

/** The job is done. */
export const done = <Trx>(stored?: Stored<Trx>): JobEnd<Trx> => ({ dueAt: null, reason: null, stored });

/** The job has a next step; with a `reason` it is another attempt of this one. */
export const again = <Trx>(dueAt: Date, stored?: Stored<Trx>, reason: string | null = null): JobEnd<Trx> => ({
  ...{ dueAt, reason, stored },
});

/** The attempt ends since its process stops: it does not count. */
export class ProcessStoppingError extends Error {
  override readonly name = 'ProcessStoppingError';
}

/** Another attempt of the job has begun: this one stores nothing more. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';
}

/** An attempt that ended with its process. */
export class AbandonedError extends Error {
  override readonly name = 'AbandonedError';
}

/** The text that is stored of an error: without that of an unexpected one, which may quote a document. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) {
    return `${error.code}: ${error.message}`;
  }
  return error instanceof Error ? error.name : 'unknown';
}

/** After attempts that failed; then hourly until the attempts of a day have failed. */
const pausesMs = [5_000, 30_000, 120_000, 600_000];
const hourMs = 60 * 60 * 1_000;
const attemptsMax = pausesMs.length + 24;

/**
 * A kind of slow work: what is done for one job. A provider of this class is found when the service starts; `Jobs` claims its jobs,
 * repeats what fails, and ends what is done.
 * @typeParam Trx the transaction in which it stores what it has done: in the scope of the business of the job.
 */
export abstract class JobKind<Tables, Trx extends Transaction<Tables> = Transaction<Tables>> {
  /** As rows, logs and metrics have it: two words are joined by a hyphen. */
  abstract readonly kind: string;
  /** How many jobs are in flight at most in a process. */
  readonly concurrency: number = 1;
  /** Whether a process that stops ends an attempt in flight, rather than wait for it. */
  readonly isInterruptible: boolean = false;
  /** Which of the due ones comes first, by an expression of the row `job`; by default the one that was due first. */
  readonly order: RawBuilder<unknown> | undefined;

  /** Makes one attempt. It may be made again after its process has died. @throws why it failed. */
  abstract run(job: JobRun): Promise<JobEnd<Trx>>;

  /** When the next attempt follows one that failed; null: none does. */
  retryAt({ attempts }: JobRun, _error: unknown, now: Date): Date | null {
    const pauseMs = attempts < attemptsMax ? (pausesMs[attempts - 1] ?? hourMs) : null;
    return pauseMs === null ? null : new Date(now.getTime() + pauseMs);
  }

  /**
   * Stores that an attempt has failed, or was ended by its process. A job whose last attempt failed is dead-lettered where its kind
   * does not store that, and deleted where it does.
   * @param dueAt of the next attempt; null: none follows.
   */
  failed?(trx: Trx, job: JobRun, error: unknown, dueAt: Date | null): Promise<void>;

  /**
   * Adds jobs that no request adds, every 15 s and after a trigger.
   * @param all without a scope.
   */
  addDue?(all: Database<Tables>, now: Date): Promise<unknown>;
}
