import { type Kysely, type Selectable, sql } from 'kysely';
import type { DeadLetterTable, MessagingTables } from '../db/messaging-tables.js';

/** Dead letters in the order of their ids. */
export function deadLettersAfter(
  db: Kysely<MessagingTables>,
  after: string | undefined,
  limit: number,
): Promise<Selectable<DeadLetterTable>[]> {
  let query = db.selectFrom('dead_letter').selectAll().orderBy('id').limit(limit);
  if (after !== undefined) query = query.where('id', '>', after);
  return query.execute();
}

/** One dead letter whole. */
export function deadLetterWithId(
  db: Kysely<MessagingTables>,
  id: string,
): Promise<Selectable<DeadLetterTable> | undefined> {
  return db.selectFrom('dead_letter').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Notes that a dead letter was tried once more in vain.
 * @returns false where it is none any more: meanwhile somebody else has carried it out.
 */
export async function noteFailedRedrive(
  db: Kysely<MessagingTables>,
  id: string,
  reason: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('dead_letter')
    .set({ reason, attempts: sql`attempts + 1`, given_up_at: sql`now()` })
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Removes a dead letter for good: its event counts as handled, so that neither its stream nor a sweep brings it again.
 * @returns false where it is none any more.
 */
export async function dropDeadLetterOf(
  db: Kysely<MessagingTables>,
  { id, consumer, message_id }: Pick<Selectable<DeadLetterTable>, 'id' | 'consumer' | 'message_id'>,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('dead_letter')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) return false;
    await trx
      .insertInto('inbox')
      .values({ consumer, message_id })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return true;
  });
}
