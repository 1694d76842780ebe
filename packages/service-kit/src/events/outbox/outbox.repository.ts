import type { TraceHeaders } from '@pinkas/contracts';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { MessagingTables } from '../messaging.tables.js';

/** An older unsent row was not sent right after its commit: its process died, or NATS was unavailable. */
const overdue = sql<Date>`now() - interval '2 seconds'`;
/** The most rows, of whatever subject, that one page reads: a rare subject must not cost a scan of all. */
const scannedMax = 2_000;

/** The place of an event in its service's outbox. */
interface OutboxEntry {
  readonly position: number;
  readonly id: string;
}

/** A page of the outbox, final up to `through`. */
interface OutboxPage {
  readonly events: OutboxEntry[];
  readonly through: number;
  /** Whether there may be more final events now. */
  readonly more: boolean;
}

/** An outbox event as it is stored. */
export interface OutboxEventRow {
  readonly id: string;
  readonly subject: string;
  readonly body: unknown;
  readonly request_id: string | null;
  readonly trace: TraceHeaders | null;
}

/**
 * The events on a subject after a position, oldest first, up to the last position before which no row can appear any more: rows
 * become visible in the order of commits, not of positions. See ADR 0011 for why the list is final.
 * @param subject without the document's id.
 * @param ageMs events younger than that are left out as well.
 */
export async function outboxEventsAfter(
  db: Kysely<MessagingTables>,
  subject: string,
  after: number,
  limit: number,
  ageMs: number,
): Promise<OutboxPage> {
  // A statement of its own, before the rows are read: a transaction that ends between the two is visible to the second. As text: a
  // Date has no microseconds.
  const bounds = await sql<{ final_before: string }>`
    select least(
      clock_timestamp() - make_interval(secs => ${ageMs / 1_000}),
      (select min(xact_start) from pg_stat_activity where datname = current_database())
    )::text as final_before
  `.execute(db);
  const finalBefore = sql`${bounds.rows[0]?.final_before}::timestamptz`;
  const { rows } = await sql<{ events: OutboxEntry[]; through: number | null; scanned: number }>`
    with scanned as materialized (
      select position, id, starts_with(subject, ${`${subject}.`}) as matches, created_at >= ${finalBefore} as young
      from outbox where position > ${after} order by position limit ${scannedMax}
    ), final as materialized (
      select position, id, matches from scanned
      where position < coalesce((select min(position) from scanned where young), ${Number.MAX_SAFE_INTEGER})
    ), page as (
      select position, id from final where matches order by position limit ${limit}
    )
    select
      (select coalesce(json_agg(page order by position), '[]') from page) as events,
      (select max(position) from final) as through,
      (select count(*)::int from final) as scanned
  `.execute(db);
  const { events = [], through, scanned = 0 } = rows[0] ?? {};
  const last = events.at(-1);
  if (last && events.length === limit) {
    return { events, through: last.position, more: true };
  }
  return { events, through: through ?? after, more: scanned === scannedMax };
}

/** One outbox event. */
export function outboxEventById(
  db: Kysely<MessagingTables>,
  id: string,
): Promise<Omit<OutboxEventRow, 'id'> | undefined> {
  return db
    .selectFrom('outbox')
    .select(['subject', 'body', 'request_id', 'trace'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Whether an event was left behind unsent. */
export async function hasUnsent(db: Kysely<MessagingTables>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from outbox where sent_at is null and created_at < ${overdue}) as found
  `.execute(db);
  return rows[0]?.found === true;
}

/** Locks the oldest events that were left behind unsent, skipping those that another replica has locked. */
export function claimUnsent(trx: Transaction<MessagingTables>, limit: number): Promise<OutboxEventRow[]> {
  return trx
    .selectFrom('outbox')
    .select(['id', 'subject', 'body', 'request_id', 'trace'])
    .where('sent_at', 'is', null)
    .where('created_at', '<', overdue)
    .orderBy('position')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** Marks events as sent. */
export async function markSent(db: Kysely<MessagingTables>, ids: readonly string[]): Promise<void> {
  await sql`update outbox set sent_at = now() where id = any(${ids}::uuid[])`.execute(db);
}

/** Marks as unsent what was sent so recently that JetStream may not have flushed it to disk. */
export async function markRecentlySentAsUnsent(db: Kysely<MessagingTables>, seconds: number): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ sent_at: null })
    .where('sent_at', '>', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .execute();
}
