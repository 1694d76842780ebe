import { type Kysely, sql, type Transaction } from 'kysely';
import type { MessagingTables } from '../messaging.tables.js';

/** An event by the consumer that handles it. */
export interface InboxKey {
  readonly consumer: string;
  readonly messageId: string;
}

/** Whether the consumer has handled the event. */
export async function isHandled(
  db: Kysely<MessagingTables>,
  { consumer, messageId }: InboxKey,
): Promise<boolean> {
  const row = await db
    .selectFrom('inbox')
    .select('message_id')
    .where('consumer', '=', consumer)
    .where('message_id', '=', messageId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Writes the inbox row of an event, which is no dead letter and not due any more, in one round trip. Another transaction that does the same waits for
 * the end of this one.
 * @returns false where the event was handled already.
 */
export async function insertInboxRow(
  trx: Transaction<MessagingTables>,
  { consumer, messageId }: InboxKey,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .with('resolved', (query) =>
      query
        .deleteFrom('dead_letter')
        .where('consumer', '=', consumer)
        .where('message_id', '=', messageId)
        .returning('id'),
    )
    .with('due', (query) =>
      query
        .deleteFrom('due_event')
        .where('consumer', '=', consumer)
        .where('message_id', '=', messageId)
        .returning('attempts'),
    )
    .insertInto('inbox')
    .values({ consumer, message_id: messageId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows !== 0n;
}

/** Those of the events that the consumer has neither handled nor dead-lettered, and that are not due, in their order. */
export async function missingOf<Entry extends { readonly id: string }>(
  db: Kysely<MessagingTables>,
  consumer: string,
  entries: readonly Entry[],
): Promise<Entry[]> {
  if (entries.length === 0) {
    return [];
  }
  const ids = entries.map(({ id }) => id);
  const { rows } = await sql<{ message_id: string }>`
    select message_id from inbox where consumer = ${consumer} and message_id = any(${ids}::uuid[])
    union all
    select message_id from dead_letter where consumer = ${consumer} and message_id = any(${ids}::uuid[])
    union all
    select message_id from due_event where consumer = ${consumer} and message_id = any(${ids}::uuid[])
  `.execute(db);
  const known = new Set(rows.map((row) => row.message_id));
  return entries.filter(({ id }) => !known.has(id));
}
