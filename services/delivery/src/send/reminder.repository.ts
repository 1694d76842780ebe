import { type Clock, type Database, databaseClock, type Transaction } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { DeliveryRow, DeliveryTables, Reminder, ReminderLimitTable } from '../db/delivery.tables.js';
import { settledReason } from '../message/send-policy.js';

/** How long after a reminder has left its customer, or a document, is not reminded of again. */
export const reminderPauseDays = 3;

/** Whom and what a reminder is about. */
const subjectsOf = ({ customer_id, document_ids }: Reminder): string[] => [customer_id, ...document_ids];

/**
 * Takes the right to remind a customer of documents; `recordReminder` gives it back. The upsert waits for another
 * transaction that takes it for one of them, and sees what it has committed: of two, the second is refused.
 * @returns whether none of them has a reminder that has not ended, or left within the pause; if not, the transaction must be rolled back.
 */
export async function takeReminder(
  trx: Transaction<DeliveryTables>,
  { business_id, id }: { business_id: string; id: string },
  reminder: Reminder,
  clock: Clock,
): Promise<boolean> {
  const subjects = subjectsOf(reminder);
  // In one order, so that two transactions never wait for each other.
  const { rows } = await sql`
    insert into reminder_limit (business_id, subject_id, delivery_id)
    select ${business_id}::uuid, subject_id, ${id}::uuid
      from (select distinct unnest(${subjects}::uuid[]) as subject_id order by 1) as subject
    on conflict (business_id, subject_id) do update set delivery_id = excluded.delivery_id
      where reminder_limit.delivery_id is null and coalesce(
        reminder_limit.reminded_at <= ${databaseClock(clock)} - make_interval(days => ${reminderPauseDays}), true)
    returning subject_id`.execute(trx);
  return rows.length === new Set(subjects).size;
}

/** When some subjects were last reminded of, by id; those that never were are absent. */
export async function lastReminders(
  db: Database<DeliveryTables>,
  businessId: string,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<ReminderLimitTable, 'reminded_at' | 'delivery_id'>>> {
  const rows = await db
    .selectFrom('reminder_limit')
    .select(['subject_id', 'reminded_at', 'delivery_id'])
    .where('business_id', '=', businessId)
    .where(sql<boolean>`subject_id = any(${subjectIds}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.subject_id, row]));
}

/**
 * Records what has become of a reminder: the pause counts from when it left, or may have left. One that ends without that leaves the
 * pause as it was before.
 * @param leftAt null: it has not left now.
 */
export async function recordReminder(
  trx: Transaction<DeliveryTables>,
  { business_id, id }: DeliveryRow,
  reminder: Reminder,
  { leftAt, hasEnded }: { leftAt: Date | null; hasEnded: boolean },
): Promise<void> {
  // Locked in the order of `takeReminder`.
  await sql`
    with taken as (
      select subject_id from reminder_limit
      where business_id = ${business_id} and subject_id = any(${subjectsOf(reminder)}::uuid[]) and delivery_id = ${id}
      order by subject_id for update
    )
    update reminder_limit
    set reminded_at = coalesce(${leftAt}::timestamptz, reminded_at), delivery_id = case when ${hasEnded} then null else delivery_id end
    from taken
    where business_id = ${business_id} and reminder_limit.subject_id = taken.subject_id`.execute(trx);
}

/** Withdraws a claimed reminder of which nothing is left to pay. */
export async function withdrawSettled(
  db: Database<DeliveryTables>,
  row: DeliveryRow,
  reminder: Reminder,
  now: Date,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('delivery')
      .set({ state: 'withdrawn', withdrawn_at: now, withdrawn_reason: settledReason, claimed_until: null })
      .where('business_id', '=', row.business_id)
      .where('id', '=', row.id)
      .where('state', '=', 'ready')
      .where('claimed_until', '=', row.claimed_until)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) {
      await recordReminder(trx, row, reminder, { leftAt: null, hasEnded: true });
    }
  });
}
