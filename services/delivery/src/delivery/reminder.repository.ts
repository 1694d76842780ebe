import { type Clock, type Database, databaseClock, type Transaction } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { DeliveryRow, DeliveryTables } from './delivery.tables.js';
import { settledReason } from './send-policy.js';

/** How long a customer, or a document, is not reminded of again. */
export const reminderPauseDays = 3;

/**
 * Takes the right to remind a customer of documents. The upsert waits for another transaction that takes it for one of them, and sees
 * what it has committed: of two, the second is refused.
 * @returns whether none of them was reminded of within the pause; if not, the transaction must be rolled back.
 */
export async function takeReminder(
  trx: Transaction<DeliveryTables>,
  businessId: string,
  subjectIds: readonly string[],
  clock: Clock,
): Promise<boolean> {
  // In one order, so that two transactions never wait for each other.
  const { rows } = await sql`
    insert into reminder_limit (business_id, subject_id, reminded_at)
    select ${businessId}::uuid, subject_id, ${databaseClock(clock)}
      from (select distinct unnest(${subjectIds}::uuid[]) as subject_id order by 1) as subject
    on conflict (business_id, subject_id) do update set reminded_at = excluded.reminded_at
      where reminder_limit.reminded_at <= excluded.reminded_at - make_interval(days => ${reminderPauseDays})
    returning subject_id`.execute(trx);
  return rows.length === new Set(subjectIds).size;
}

/** When each of some subjects was last reminded of, by its id; those that never were are absent. */
export async function lastReminders(
  db: Database<DeliveryTables>,
  businessId: string,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await db
    .selectFrom('reminder_limit')
    .select(['subject_id', 'reminded_at'])
    .where('business_id', '=', businessId)
    .where(sql<boolean>`subject_id = any(${subjectIds}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.subject_id, row.reminded_at]));
}

/** Withdraws a claimed reminder of which nothing is left to pay. */
export async function withdrawSettled(
  db: Database<DeliveryTables>,
  row: DeliveryRow,
  now: Date,
): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ state: 'withdrawn', withdrawn_at: now, withdrawn_reason: settledReason, claimed_until: null })
    .where('business_id', '=', row.business_id)
    .where('id', '=', row.id)
    .where('state', '=', 'ready')
    .where('claimed_until', '=', row.claimed_until)
    .execute();
}
