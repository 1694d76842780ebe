import { businessOf, type EventBody, isUuid, platformId, type TraceHeaders } from '@pinkas/contracts';
import { type Kysely, type Selectable, sql } from 'kysely';
import { ApiError } from '../../process/api-error.js';
import { appendTrail } from '../../trail/trail.repository.js';
import type { DeadLetterTable, MessagingTables } from '../messaging.tables.js';
import { storable } from './dead-letter-reason.js';
import type { InboxKey } from './inbox.repository.js';

/** Dead letters ordered by id. */
export function deadLettersAfter(
  db: Kysely<MessagingTables>,
  after: string | undefined,
  limit: number,
): Promise<Selectable<DeadLetterTable>[]> {
  let query = db.selectFrom('dead_letter').selectAll().orderBy('id').limit(limit);
  if (after !== undefined) {
    query = query.where('id', '>', after);
  }
  return query.execute();
}

/** @throws ApiError `not_found`. */
export async function getDeadLetter(
  db: Kysely<MessagingTables>,
  id: string,
): Promise<Selectable<DeadLetterTable>> {
  const found = await db.selectFrom('dead_letter').selectAll().where('id', '=', id).executeTakeFirst();
  if (!found) {
    throw new ApiError('not_found');
  }
  return found;
}

/** Stores a dead letter unless the event was handled already. One that exists keeps its id, and its attempts add up. */
export async function storeDeadLetter(
  db: Kysely<MessagingTables>,
  { consumer, messageId }: InboxKey,
  event: { subject: string; body: string; requestId: string | null; trace: TraceHeaders | null },
  reason: string,
  attempts: number,
): Promise<void> {
  const requestId = event.requestId === null ? null : storable(event.requestId);
  await sql`
    with due as (delete from due_event where consumer = ${consumer} and message_id = ${messageId}::uuid)
    insert into dead_letter (consumer, message_id, subject, body, request_id, trace, reason, attempts)
    select ${consumer}, ${messageId}::uuid, ${storable(event.subject)}, ${storable(event.body)},
      ${requestId}, ${event.trace && JSON.stringify(event.trace)}::json, ${reason}, ${attempts}::integer
    where not exists (select from inbox where consumer = ${consumer} and message_id = ${messageId}::uuid)
    on conflict on constraint dead_letter_event_key do update
    set reason = excluded.reason, attempts = dead_letter.attempts + excluded.attempts, dead_lettered_at = now()
  `.execute(db);
}

/**
 * Stores that a redrive failed.
 * @returns false where the dead letter no longer exists: the event was handled after all.
 */
export async function storeFailedRedrive(
  db: Kysely<MessagingTables>,
  id: string,
  reason: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('dead_letter')
    .set({ reason, attempts: sql`attempts + 1`, dead_lettered_at: sql`now()` })
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** An event that was handled is no dead letter, and not due. */
export async function deleteUnhandled(
  db: Kysely<MessagingTables>,
  { consumer, messageId }: InboxKey,
): Promise<void> {
  await db
    .with('due', (query) =>
      query.deleteFrom('due_event').where('consumer', '=', consumer).where('message_id', '=', messageId),
    )
    .deleteFrom('dead_letter')
    .where('consumer', '=', consumer)
    .where('message_id', '=', messageId)
    .execute();
}

/**
 * Deletes a dead letter, in the scope of `businessIdIn` its body, and marks its event as handled, so that neither the stream nor the reconciler brings it again.
 * @returns false where it no longer exists.
 */
export async function discardDeadLetter(
  db: Kysely<MessagingTables>,
  deadLetter: Pick<
    Selectable<DeadLetterTable>,
    'id' | 'consumer' | 'message_id' | 'subject' | 'body' | 'reason'
  >,
): Promise<boolean> {
  const { id, consumer, message_id, subject, body, reason } = deadLetter;
  return db.transaction().execute(async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('dead_letter')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) {
      return false;
    }
    await trx
      .insertInto('inbox')
      .values({ consumer, message_id })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await appendTrail(trx, {
      business_id: businessIdIn(body),
      action: 'dead_letter.drop',
      subject: id,
      actor: 'operator',
      before: { consumer, event: subject, reason },
      after: null,
    });
    return true;
  });
}

/** The business that the body of a dead letter names; that of the platform where it names none. */
export function businessIdIn(body: string): string {
  try {
    const businessId = businessOf(JSON.parse(body) as EventBody);
    return isUuid(businessId) ? businessId : platformId;
  } catch {
    return platformId;
  }
}
