import { heldUntil } from '@pinkas/domain';
import { type Transaction, timeOrderedId } from '@pinkas/service-kit';
import type { DeliveryRow, DeliveryTables, DocumentKey } from './delivery.tables.js';
import { dueAt } from './delivery-plan.js';
import type { DocumentState } from './document.repository.js';

/**
 * Plans the messages that bring an allocation number to those who were sent, or may have been sent, the document without it: one
 * for each recipient, whatever happens again. The lock of the document orders this with the attempts.
 * @returns how many are new.
 */
export async function insertFollowUps(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  { cancelled, rendered }: DocumentState,
  now: Date,
): Promise<number> {
  if (cancelled || !rendered || rendered.allocationNumber === null) {
    return 0;
  }
  const messages = await messagesWithoutNumber(trx, key);
  if (messages.length === 0) {
    return 0;
  }
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('delivery')
    .values(messages.map((message) => followUp(message, now)))
    .onConflict((conflict) => conflict.columns(['business_id', 'follows']).doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows ?? 0);
}

/**
 * The first message to each recipient of which an attempt without the number was, or may have been, accepted, unless a follow-up to
 * that recipient is planned already.
 */
async function messagesWithoutNumber(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
): Promise<DeliveryRow[]> {
  return (
    trx
      .selectFrom('delivery')
      .selectAll()
      .distinctOn(['channel', 'purpose', 'recipient'])
      .where('business_id', '=', key.business_id)
      .where('document_id', '=', key.document_id)
      .where('follows', 'is', null)
      // It brings no document, and leads to the page, which has the number.
      .where('reminder', 'is', null)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('attempt')
            .select('n')
            .whereRef('attempt.business_id', '=', 'delivery.business_id')
            .whereRef('attempt.delivery_id', '=', 'delivery.id')
            .where('attempt.allocation_number', 'is', null)
            .where((where) => where.or([where('outcome', '=', 'accepted'), where('was_unknown', '=', true)])),
        ),
      )
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('delivery as follower')
              .select('follower.id')
              .whereRef('follower.business_id', '=', 'delivery.business_id')
              .whereRef('follower.document_id', '=', 'delivery.document_id')
              .whereRef('follower.channel', '=', 'delivery.channel')
              .whereRef('follower.purpose', '=', 'delivery.purpose')
              .whereRef('follower.recipient', '=', 'delivery.recipient')
              .where('follower.follows', 'is not', null),
          ),
        ),
      )
      .orderBy('channel')
      .orderBy('purpose')
      .orderBy('recipient')
      .orderBy('requested')
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  );
}

function followUp(message: DeliveryRow, now: Date) {
  const id = timeOrderedId();
  const notBefore = heldUntil(message.purpose, message.facts.business.quiet_hours, now);
  return {
    business_id: message.business_id,
    document_id: message.document_id,
    id,
    channel: message.channel,
    purpose: message.purpose,
    recipient: message.recipient,
    follows: message.id,
    requested: message.requested,
    state: 'ready' as const,
    facts: JSON.stringify(message.facts),
    message_id: message.message_id.replace(message.id, id),
    request_id: message.request_id,
    trace: message.trace === null ? null : JSON.stringify(message.trace),
    not_before: notBefore,
    held_until: null,
    first_attempt_at: null,
    next_attempt_at: dueAt(notBefore, null, now),
    claimed_until: null,
    last_error: null,
    created_at: now,
    sent_at: null,
    failed_at: null,
    withdrawn_at: null,
    withdrawn_reason: null,
  };
}
