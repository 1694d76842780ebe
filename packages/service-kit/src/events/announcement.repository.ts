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
}

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
  const last = await sql<{ position: number }>`
    select position from outbox where position > ${after} and created_at < ${settledAt}
    order by position desc limit 1
  `.execute(db);
  const end = last.rows[0]?.position;
  if (end === undefined) return { announcements: [], through: after };
  const { rows } = await sql<Announced & { young: boolean }>`
    select position, id, created_at >= ${settledAt} as young from outbox
    where position > ${after} and position <= ${end}
      and (starts_with(subject, ${`${subject}.`}) or created_at >= ${settledAt})
    order by position limit ${limit}
  `.execute(db);
  const cut = rows.findIndex((row) => row.young);
  const kept = cut === -1 ? rows : rows.slice(0, cut);
  const announcements = kept.map(({ position, id }) => ({ position, id }));
  const firstYoung = rows[cut]?.position;
  if (firstYoung !== undefined) return { announcements, through: firstYoung - 1 };
  return { announcements, through: rows.length === limit ? (rows.at(-1)?.position ?? after) : end };
}

/** One announcement whole. */
export function announcementWithId(
  db: Kysely<MessagingTables>,
  id: string,
): Promise<{ subject: string; body: unknown; request_id: string | null } | undefined> {
  return db
    .selectFrom('outbox')
    .select(['subject', 'body', 'request_id'])
    .where('id', '=', id)
    .executeTakeFirst();
}
