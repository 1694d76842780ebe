import { type Kysely, type Selectable, sql } from 'kysely';
import type { DeadLetterTable, MessagingTables } from '../db/messaging-tables.js';

/** Dead letters in the order of their ids, without their bodies. */
export function deadLettersAfter(
  db: Kysely<MessagingTables>,
  after: string | undefined,
  limit: number,
): Promise<Omit<Selectable<DeadLetterTable>, 'body' | 'request_id'>[]> {
  let query = db
    .selectFrom('dead_letter')
    .select(['id', 'consumer', 'message_id', 'subject', 'reason', 'attempts', 'given_up_at'])
    .orderBy('id')
    .limit(limit);
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
