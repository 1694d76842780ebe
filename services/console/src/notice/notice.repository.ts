import { type Clock, type Database, type NextDue, nextDue, type Transaction } from '@pinkas/service-kit';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { ConsoleTables } from '../db/console.tables.js';
import type { DueNoticeTable } from '../db/sign-in.tables.js';

export type DueNotice = Selectable<DueNoticeTable>;

/** Makes a mail due. */
export async function insertNotice(
  db: Database<ConsoleTables> | Transaction<ConsoleTables>,
  notice: Omit<
    Insertable<DueNoticeTable>,
    'attempts' | 'next_attempt_at' | 'claimed_until' | 'left_email' | 'package_month'
  > & { left_email?: string; package_month?: string },
): Promise<void> {
  await db
    .insertInto('due_notice')
    .values({
      left_email: null,
      package_month: null,
      ...notice,
      attempts: 0,
      next_attempt_at: notice.requested_at,
      claimed_until: null,
    })
    .execute();
}

/** When the next mail is due, or its claim expires. */
export function nextDueNotice(all: Database<ConsoleTables>, clock: Clock): Promise<NextDue> {
  return nextDue(
    all,
    clock,
    () => sql`(select min(greatest(next_attempt_at, claimed_until)) from due_notice)`,
  );
}

/** Claims due mails for this process until `until`. */
export async function claimNotices(
  all: Database<ConsoleTables>,
  limit: number,
  now: Date,
  until: Date,
): Promise<DueNotice[]> {
  return all
    .with('due', (due) =>
      due
        .selectFrom('due_notice')
        .select('id')
        .where('next_attempt_at', '<=', now)
        .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<', now)]))
        .orderBy('next_attempt_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('due_notice')
    .from('due')
    .set((set) => ({ claimed_until: until, attempts: set('attempts', '+', 1) }))
    .whereRef('due_notice.id', '=', 'due.id')
    .returningAll('due_notice')
    .execute();
}

/** Attempts a mail again at `at`. */
export async function postponeNotice(all: Database<ConsoleTables>, id: string, at: Date): Promise<void> {
  await all
    .updateTable('due_notice')
    .set({ next_attempt_at: at, claimed_until: null })
    .where('id', '=', id)
    .execute();
}

export async function deleteNotice(all: Database<ConsoleTables>, id: string): Promise<void> {
  await all.deleteFrom('due_notice').where('id', '=', id).execute();
}
