import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import { PeriodicTask, type TickResult } from '@pinkas/service-kit/concurrency';
import { sql } from 'kysely';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { purgeRemoved } from './endpoint.repository.js';
import { booksWithUnlisted, listOverdue, purgeEvents } from './event.repository.js';

const everyMs = 60_000;
const dayMs = 24 * 60 * 60 * 1_000;
/** How long an event is listed. */
const eventDays = 90;
/** How long an attempt is in the log. */
const attemptDays = 30;
/** The most rows that one statement deletes: some ten milliseconds of work. */
const batchMax = 1_000;
/** How long the list waits for an event that was committed before others: longer than all attempts to handle one. */
const unlistedMaxMs = 15 * 60_000;
const booksMax = 100;

/** Deletes old events and attempts and what removed endpoints have left, and lists events that wait for one that does not come. */
@Injectable()
export class EventPurger extends PeriodicTask {
  readonly #all: Database<DeliveryTables>;

  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
  ) {
    super('event-purger', everyMs, logger);
    this.#all = acrossTenants(db);
  }

  override async tick(): Promise<TickResult> {
    await this.#listOverdue();
    const deleted = await Promise.all([
      purgeEvents(this.#all, this.#daysAgo(eventDays), batchMax),
      purgeAttempts(this.#all, this.#daysAgo(attemptDays), batchMax),
      purgeRemoved(this.#all, batchMax),
    ]);
    return deleted.includes(batchMax) ? { done: Math.max(...deleted) } : 'idle';
  }

  async #listOverdue(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - unlistedMaxMs);
    for (const business_id of await booksWithUnlisted(this.#all, before, booksMax)) {
      await forTenant(this.db, business_id)
        .transaction()
        .execute((trx) => listOverdue(trx, business_id, before));
      this.logger.error({ business_id }, 'event listed out of order');
    }
  }

  #daysAgo(days: number): Date {
    return new Date(this.clock.now().getTime() - days * dayMs);
  }
}

async function purgeAttempts(all: Database<DeliveryTables>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_attempt where ctid = any(array(
      select ctid from webhook_attempt where started_at < ${before} order by started_at limit ${limit}
    ))`.execute(all);
  return Number(numAffectedRows ?? 0);
}
