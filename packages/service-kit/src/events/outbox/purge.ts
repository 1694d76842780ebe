import { type Kysely, sql } from 'kysely';
import type { Logger } from '../../process/logger.js';
import type { MessagingTables } from '../messaging.tables.js';
import { streamDays } from '../streams.js';
import { readersOf } from './reader.repository.js';

/** How long an event stays after it was sent when every consumer has read it: longer than `PublishedEvents` looks back. */
const outboxDays = 7;
/** How long it stays for a consumer that has not: the longest that one may be stopped. */
const unreadDays = 21;
/**
 * An event can be handled again as long as it is in the outbox, and be redelivered as long as its stream has it.
 * An inbox row that is kept longer is cheap, while an effect that happens twice is not.
 */
const inboxDays = unreadDays + streamDays + 2;
/** The most rows that one statement looks at: some ten milliseconds of work. */
const batchMax = 1_000;
const secondsPerDay = 24 * 60 * 60;

/**
 * Deletes old rows of the outbox, by the day that they were sent, and of the inbox. Unsent events stay, and so do inbox rows whose
 * dead letter an operator may still redrive. Each statement is bounded: one over a large table would exceed its timeout.
 * @param consumers those of the service's events: what one of them has not read is kept longer.
 * @param signal ends it after the current batch.
 */
export async function purgeMessaging(
  db: Kysely<MessagingTables>,
  { consumers, logger, signal }: { consumers: readonly string[]; logger: Logger; signal?: AbortSignal },
): Promise<void> {
  const readers = await readersOf(db, consumers);
  for (const { consumer, unreadSeconds } of readers) {
    if (unreadSeconds > outboxDays * secondsPerDay) {
      logger.warn(
        { consumer, unread_days: Math.floor(unreadSeconds / secondsPerDay) },
        'outbox purge delayed',
      );
    }
  }
  const readByAll = Math.min(Number.MAX_SAFE_INTEGER, ...readers.map(({ position }) => position));
  let unread = 0;
  // Rows are nearly in the order in which they were written and sent: behind a batch without an old one there is none.
  for (let after: number | null = 0; after !== null && !signal?.aborted; ) {
    const batch = await purgeOutbox(db, after, readByAll);
    after = batch.through;
    unread += batch.unread;
  }
  if (unread > 0) {
    logger.error({ events: unread }, 'unread outbox events purged');
  }
  while (!signal?.aborted && (await purgeInbox(db)) === batchMax) {}
}

/**
 * @param readByAll the position up to which every consumer has read.
 * @returns `through`: the position to continue from, null at the end of the old rows; `unread`: how many were deleted beyond `readByAll`.
 */
async function purgeOutbox(
  db: Kysely<MessagingTables>,
  after: number,
  readByAll: number,
): Promise<{ through: number | null; unread: number }> {
  const { rows } = await sql<{ through: number | null; unread: number }>`
    with batch as (
      select position, created_at from outbox
      where position > ${after} order by position limit ${batchMax}
    ), purged as (
      delete from outbox
      where position > ${after} and position <= (select max(position) from batch) and sent_at is not null
        and greatest(created_at, sent_at) < case when position <= ${readByAll} then ${daysAgo(outboxDays)} else ${daysAgo(unreadDays)} end
      returning position
    )
    select
      (select max(position) from batch having bool_or(created_at < ${daysAgo(outboxDays)})) as through,
      (select count(*)::int from purged where position > ${readByAll}) as unread
  `.execute(db);
  return rows[0] ?? { through: null, unread: 0 };
}

/**
 * Deletes rows by their place, which nothing changes: by their key PostgreSQL may read the complete table for them.
 * @returns how many rows were deleted.
 */
async function purgeInbox(db: Kysely<MessagingTables>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from inbox where ctid = any(array(
      select ctid from inbox
      where handled_at < ${daysAgo(inboxDays)} and not exists (
        select from dead_letter
        where dead_letter.consumer = inbox.consumer and dead_letter.message_id = inbox.message_id
      )
      order by handled_at limit ${batchMax}
    ))
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

const daysAgo = (days: number) => sql<Date>`now() - make_interval(days => ${days})`;
