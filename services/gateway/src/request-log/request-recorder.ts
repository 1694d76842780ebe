import { Injectable } from '@nestjs/common';
import { requestLogDays, type ValidationError } from '@pinkas/contracts';
import {
  type ApiError,
  acrossTenants,
  type Clock,
  type Counter,
  type Database,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Metrics,
  timeOrderedId,
} from '@pinkas/service-kit';
import { PeriodicTask, type TickResult, withTimeout } from '@pinkas/service-kit/concurrency';
import type { GatewayTables } from '../db/gateway.tables.js';
import { keptBody, keptDetails, keptErrors, keptKey } from './kept-body.js';
import { keepDays, type RequestRecord, storeRequests } from './request-log.repository.js';

const storeEveryMs = 1_000;
/** The most requests that one statement stores; so many are stored at once. */
const batchMax = 500;
/** What may wait in memory; what comes above it is lost. */
const waitingBytesMax = 8 * 1024 * 1024;
/** About what a request weighs in memory without its body. */
const recordBytes = 600;
/** How often a batch is attempted. */
const attemptsMax = 5;
const flushTimeoutMs = 1_000;
const dayMs = 24 * 60 * 60 * 1_000;

/** Refusals that cost next to nothing, and that a program in a loop gets without end: one of each in ten seconds is kept for a key. */
const thinnedCodes: readonly string[] = ['rate_limited', 'api_disabled'];
const thinnedMs = 10_000;

/** A request that was answered. */
interface AnsweredRequest {
  readonly businessId: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly arrivedAt: Date;
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly idempotencyKey: string | null;
  readonly replayed: boolean;
  readonly documentId: string | null;
  readonly durationMs: number;
  /** Why it was refused, or failed. */
  readonly error: ApiError | undefined;
  /** The JSON object of its body, where it was read. */
  readonly body: object | undefined;
}

/** The day of an instant in UTC, as `YYYY-MM-DD`. */
export const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10);

/** The instant before which nothing is kept. */
export const oldestKept = (now: Date): Date => new Date(Date.parse(dayOf(now)) - requestLogDays * dayMs);

/** Stores answered requests in batches next to them. No request waits for it: what the database does not take in time is lost. */
@Injectable()
export class RequestRecorder extends PeriodicTask {
  readonly #all: Database<GatewayTables>;
  readonly #lost: Counter<'reason'>;
  #waiting: RequestRecord[] = [];
  #waitingBytes = 0;
  /** How often the batch in front has failed, and how many are stored together: one that is bad takes no other along. */
  #failures = 0;
  #batchSize = batchMax;
  #days = new Set<string>();
  #thinned = new Map<string, number>();
  #isFull = false;
  /** Called when what waits now is stored. */
  #flushes: (() => void)[] = [];

  constructor(
    @InjectDatabase() db: Database<GatewayTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    metrics: Metrics,
  ) {
    super('request-recorder', storeEveryMs, logger);
    this.#all = acrossTenants(db);
    this.#lost = metrics.counter(
      'pinkas_request_log_lost_total',
      'Requests that are missing in the log of requests.',
      ['reason'],
    );
  }

  /** Takes a request for the log; never throws, since its answer does not depend on the log. */
  note(answered: AnsweredRequest): void {
    try {
      this.#take(answered);
    } catch (error) {
      this.#lost.inc({ reason: 'unreadable' });
      this.logger.warn({ err: error }, 'request lost');
    }
  }

  #take(answered: AnsweredRequest): void {
    if (this.#isThinned(answered)) {
      return;
    }
    if (this.#waitingBytes >= waitingBytesMax) {
      this.#lost.inc({ reason: 'queue_full' });
      if (!this.#isFull) {
        this.logger.warn({ count: this.#waiting.length }, 'request log full');
      }
      this.#isFull = true;
      return;
    }
    this.#isFull = false;
    const record = toRecord(answered);
    this.#waiting.push(record);
    this.#waitingBytes += weightOf(record);
    if (this.#waiting.length >= batchMax) {
      this.trigger();
    }
  }

  /** Stores what waits now. Returns after a second in any case. */
  async flush(): Promise<void> {
    const stored = new Promise<void>((resolve) => this.#flushes.push(resolve));
    this.trigger();
    await withTimeout(stored, flushTimeoutMs, () => {});
  }

  /** Stores what waits, as far as the database takes it. */
  override async stop(): Promise<void> {
    await super.stop();
    try {
      while (this.#waiting.length > 0) {
        await this.tick();
      }
    } catch (error) {
      this.#lost.inc({ reason: 'stopped' }, this.#waiting.length);
      this.logger.warn({ err: error, count: this.#waiting.length }, 'requests lost');
    }
  }

  override async tick(): Promise<TickResult> {
    const batch = this.#waiting.slice(0, this.#batchSize);
    const flushes = batch.length === this.#waiting.length ? this.#flushes.splice(0) : [];
    try {
      await this.#keepDays(batch);
      if (batch.length > 0) {
        await storeRequests(this.#all, batch);
      }
    } catch (error) {
      this.#failures += 1;
      if (this.#failures >= attemptsMax && batch.length > 1) {
        this.#batchSize = Math.ceil(batch.length / 2);
      } else if (this.#failures >= attemptsMax && batch.length === 1) {
        this.#lost.inc({ reason: 'failed' }, batch.length);
        this.logger.warn({ err: error, count: batch.length }, 'requests lost');
        this.#remove(batch);
      }
      throw error;
    }
    this.#remove(batch);
    this.#batchSize = Math.min(batchMax, 2 * this.#batchSize);
    for (const done of flushes) {
      done();
    }
    return this.#waiting.length >= this.#batchSize && batch.length > 0 ? { done: batch.length } : 'idle';
  }

  #remove(batch: readonly RequestRecord[]): void {
    this.#failures = 0;
    this.#waiting = this.#waiting.slice(batch.length);
    this.#waitingBytes -= batch.reduce((sum, record) => sum + weightOf(record), 0);
  }

  /** Creates the days of a batch, today and tomorrow where they are missing, and drops what is too old. */
  async #keepDays(batch: readonly RequestRecord[]): Promise<void> {
    const now = this.clock.now();
    const oldest = dayOf(oldestKept(now));
    const needed = [
      dayOf(now),
      dayOf(new Date(now.getTime() + dayMs)),
      ...batch.map(({ at }) => at.slice(0, 10)),
    ];
    const missing = [...new Set(needed)].filter((day) => !this.#days.has(day));
    if (missing.length > 0) {
      await keepDays(
        this.#all,
        missing,
        missing.reduce((first, day) => (day < first ? day : first), oldest),
      );
      this.#days = new Set([...this.#days, ...missing].filter((day) => day >= oldest));
    }
  }

  #isThinned({ keyId, error, arrivedAt }: AnsweredRequest): boolean {
    if (!error || !thinnedCodes.includes(error.code)) {
      return false;
    }
    const now = arrivedAt.getTime();
    const id = `${error.code} ${keyId}`;
    const until = this.#thinned.get(id) ?? 0;
    // A clock that was set back keeps none of them out for longer.
    if (now < until && until - now <= thinnedMs) {
      return true;
    }
    this.#thinned = new Map(
      [...this.#thinned].filter(([, end]) => end > now).concat([[id, now + thinnedMs]]),
    );
    return false;
  }
}

const weightOf = ({ body, errors }: RequestRecord): number =>
  recordBytes + 2 * ((body?.length ?? 0) + (errors?.length ?? 0));

function toRecord(answered: AnsweredRequest): RequestRecord {
  const { status, body, error } = answered;
  const isRefused = status >= 400 && status < 500;
  const { errors = [] } = (isRefused && error?.details ? error.details : {}) as {
    errors?: readonly ValidationError[];
  };
  const kept = isRefused && body !== undefined ? keptBody(body, errors) : undefined;
  const known = keptErrors(errors);
  return {
    business_id: answered.businessId,
    at: answered.arrivedAt.toISOString(),
    id: timeOrderedId(),
    request_id: answered.requestId,
    key_id: answered.keyId,
    method: answered.method,
    route: answered.route,
    status,
    code: error?.code ?? null,
    idempotency_key: answered.idempotencyKey && keptKey(answered.businessId, answered.idempotencyKey),
    replayed: answered.replayed,
    document_id: answered.documentId,
    duration_ms: answered.durationMs,
    errors: known.length === 0 ? null : JSON.stringify(known),
    body: kept?.body === undefined ? null : JSON.stringify(kept.body),
    body_truncated: kept?.isTruncated ?? false,
    details: isRefused && error ? keptDetails(error) : null,
  };
}
