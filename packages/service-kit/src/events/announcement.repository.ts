import type { TraceCarrier } from '@pinkas/contracts';
import { type Kysely, sql } from 'kysely';
import type { MessagingTables } from '../db/messaging-tables.js';

/** One announcement by its place in the order of a service's announcements. */
export interface Announced {
  readonly position: number;
  readonly id: string;
}

/** A page of announcements, complete up to `through` for good. */
export interface AnnouncementPage {
  readonly announcements: Announced[];
  readonly through: number;
  /** Whether there may be more to be told now. */
  readonly more: boolean;
}

/** How many announcements, of whatever subject, one page looks at: a rare subject must not cost a look at them all. */
const lookedAtMax = 2_000;

/**
 * The announcements on a subject after a position, the oldest first, as far as the list can never grow in its middle.
 *
 * A position is drawn when the row is written, and seen by others when its transaction commits: a row may appear before one
 * that was read already, and whoever has moved past it would never see it. So the list ends before everything younger than the
 * oldest transaction that is open now: whatever such a transaction writes is younger than itself. The bound is read by a
 * statement of its own, before the rows: a transaction that ends between the two is in sight of the second. Two rows that are
 * written in the same instant may bear their instants in the other order than their positions; therefore the list ends before the
 * first row that is too young, whatever stands after it.
 *
 * A page looks at a bounded number of rows, and may so be empty although there are more.
 *
 * @param subject without the document's id.
 * @param ageMs how old an announcement must be, beside that.
 */
export async function announcementsAfter(
  db: Kysely<MessagingTables>,
  subject: string,
  after: number,
  limit: number,
  ageMs: number,
): Promise<AnnouncementPage> {
  // As text: a Date has no microseconds.
  const bounds = await sql<{ settled_at: string }>`
    select least(
      clock_timestamp() - make_interval(secs => ${ageMs / 1_000}),
      (select min(xact_start) from pg_stat_activity where datname = current_database())
    )::text as settled_at
  `.execute(db);
  const settledAt = sql`${bounds.rows[0]?.settled_at}::timestamptz`;
  const { rows } = await sql<{ announcements: Announced[]; through: number | null; settled: number }>`
    with looked_at as materialized (
      select position, id, starts_with(subject, ${`${subject}.`}) as wanted, created_at >= ${settledAt} as young
      from outbox where position > ${after} order by position limit ${lookedAtMax}
    ), settled as materialized (
      select position, id, wanted from looked_at
      where position < coalesce((select min(position) from looked_at where young), ${Number.MAX_SAFE_INTEGER})
    ), page as (
      select position, id from settled where wanted order by position limit ${limit}
    )
    select
      (select coalesce(json_agg(page order by position), '[]') from page) as announcements,
      (select max(position) from settled) as through,
      (select count(*)::int from settled) as settled
  `.execute(db);
  const { announcements = [], through, settled = 0 } = rows[0] ?? {};
  const last = announcements.at(-1);
  if (last && announcements.length === limit) return { announcements, through: last.position, more: true };
  return { announcements, through: through ?? after, more: settled === lookedAtMax };
}

/** One announcement whole. */
export function announcementWithId(
  db: Kysely<MessagingTables>,
  id: string,
): Promise<
  { subject: string; body: unknown; request_id: string | null; trace: TraceCarrier | null } | undefined
> {
  return db
    .selectFrom('outbox')
    .select(['subject', 'body', 'request_id', 'trace'])
    .where('id', '=', id)
    .executeTakeFirst();
}
