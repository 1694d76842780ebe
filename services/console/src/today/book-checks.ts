import { Injectable } from '@nestjs/common';
import { type Call, type Check, showBusiness } from '@pinkas/contracts';
import { BusinessVerification, DeadLetteredWork, type VerificationResult } from '@pinkas/exports/verify';
import {
  acrossTenants,
  type Clock,
  type Database,
  databaseNow,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Metrics,
  newContext,
  RpcClient,
  withContext,
} from '@pinkas/service-kit';
import { PeriodicTask, type TickResult } from '@pinkas/service-kit/concurrency';
import { Diagnosis, failure, ok, warning } from '@pinkas/service-kit/diagnosis';
import type { ConsoleTables } from '../db/console.tables.js';
import {
  checkFigures,
  claimCheck,
  completeRound,
  type DueCheck,
  insertMissingChecks,
  releaseCheck,
  storeFailure,
  storePart,
} from './book-check.repository.js';

const everyMs = 10 * 60_000;
const callTimeoutMs = 30_000;
/** A part takes half a minute on two cores; a process that died is taken over after this. */
const claimMs = 15 * 60_000;
/** Of one part. */
export const documentsMax = 2_000;
/** Between two parts of a large book, as a multiple of how long the last one took: what bounds its share of the processor. */
const pauseFactor = 9;
const pauseMinMs = 60_000;
const pauseMaxMs = 10 * 60_000;
const retryMs = 15 * 60_000;
const dayMs = 24 * 60 * 60_000;
/** As the alert has it. */
const lateDays = 5;
/** What the page lists. */
const findingsMax = 50;

/** The process ends: the part is made again by another. */
class StoppingError extends Error {
  override readonly name = 'StoppingError';
}

/**
 * Verifies every live book once a day as `pinkas verify` does, one book at a time, each at a second of the day of its own. A large
 * book is verified in parts, and begins again when its round is completed.
 */
@Injectable()
export class BookChecks extends PeriodicTask {
  #stopping = false;

  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly rpc: RpcClient,
    metrics: Metrics,
    diagnosis: Diagnosis,
  ) {
    super('book-checks', everyMs, logger);
    const all = acrossTenants(db);
    diagnosis.add('book', async () => [bookCheck(await checkFigures(all), clock.now())]);
    metrics.gauge('pinkas_book_check_findings', 'Books whose last check has findings.', async () => {
      return (await checkFigures(all)).found;
    });
    metrics.gauge(
      'pinkas_book_check_age_seconds',
      'Seconds since the check began of the book whose last one is the oldest; 0 where there is none.',
      async () => {
        const { oldest } = await checkFigures(all);
        return oldest ? (clock.now().getTime() - oldest.getTime()) / 1_000 : 0;
      },
    );
  }

  override async stop(): Promise<void> {
    this.#stopping = true;
    await super.stop();
  }

  override async tick(): Promise<TickResult> {
    const all = acrossTenants(this.db);
    const now = await databaseNow(all, this.clock);
    const claim = () => claimCheck(all, now, new Date(now.getTime() + claimMs));
    let due = await claim();
    if (!due) {
      await insertMissingChecks(all, now);
      due = await claim();
    }
    if (!due) {
      return 'idle';
    }
    await this.#check(due, now);
    return this.#stopping ? 'idle' : { done: 1 };
  }

  async #check(due: DueCheck, now: Date): Promise<void> {
    const { business_id } = due;
    const db = forTenant(this.db, business_id);
    const startedMs = performance.now();
    try {
      const result = await this.#verify(due);
      const findings = result.findings.filter(({ check }) => check !== 'pending_work');
      const stored = {
        ...due,
        mark: result.next,
        round_documents: due.round_documents + result.documents,
        round_findings: [...(due.round_findings ?? []), ...findings].slice(0, findingsMax),
      };
      if (result.next) {
        const pauseMs = pauseAfter(performance.now() - startedMs);
        await storePart(db, stored, new Date(now.getTime() + pauseMs));
        return;
      }
      const completedAt = await databaseNow(db, this.clock);
      await completeRound(db, stored, completedAt, nextRound(due.round_began_at, completedAt, business_id));
      const count = stored.round_findings.length;
      this.logger[count > 0 ? 'error' : 'info'](
        { business_id, documents: stored.round_documents, findings: count },
        'book checked',
      );
    } catch (error) {
      if (error instanceof StoppingError) {
        await releaseCheck(db, due);
        return;
      }
      this.logger.warn({ err: error, business_id }, 'book check failed');
      await storeFailure(db, due, now, new Date(now.getTime() + retryMs));
    }
  }

  async #verify({ business_id, mark }: DueCheck): Promise<VerificationResult> {
    const { business } = await this.#call(showBusiness, { business_id });
    // Work that is late has rows, metrics and alerts of its own.
    const part = { from: mark, documentsMax };
    return new BusinessVerification(
      this.#call,
      business,
      DeadLetteredWork.unknown,
      () => {},
      undefined,
      undefined,
      part,
    ).run();
  }

  readonly #call: Call = (contract, request) => {
    if (this.#stopping) {
      throw new StoppingError('the process ends');
    }
    return withContext(newContext(callTimeoutMs), () => this.rpc.call(contract, request));
  };
}

/** A part that took half a minute is followed by five minutes, so that a book of a million takes two days. */
const pauseAfter = (partMs: number): number =>
  Math.min(pauseMaxMs, Math.max(pauseMinMs, pauseFactor * partMs));

/** At a second of the day that is the business's own: half a day after the last round began at the earliest, however long it took. */
export function nextRound(began: Date, now: Date, businessId: string): Date {
  const ownMs = (Number.parseInt(businessId.slice(0, 8), 16) * 1_000) % dayMs;
  const earliest = Math.max(began.getTime() + dayMs / 2, now.getTime());
  const sameDay = Math.floor(earliest / dayMs) * dayMs + ownMs;
  return new Date(sameDay >= earliest ? sameDay : sameDay + dayMs);
}

function bookCheck({ found, oldest }: { found: number; oldest: Date | null }, now: Date): Check {
  const subject = 'daily check of the books';
  if (found > 0) {
    const books = found === 1 ? '1 book has' : `${found} books have`;
    return failure(
      'book',
      subject,
      `${books} findings`,
      'pinkas verify names them: docs/runbooks/book-check.md',
    );
  }
  const days = oldest === null ? 0 : Math.floor((now.getTime() - oldest.getTime()) / dayMs);
  return days > lateDays
    ? warning('book', subject, `a book was not checked for ${days} days`, 'docs/runbooks/book-check.md')
    : ok('book', subject, 'no book has a finding');
}
