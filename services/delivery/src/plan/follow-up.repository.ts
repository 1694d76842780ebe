import { heldUntil } from '@pinkas/domain';
import { type Transaction, timeOrderedId } from '@pinkas/service-kit';
import type { DeliveryRow, DeliveryTables, DocumentKey } from '../db/delivery.tables.js';
import { dueAt } from './delivery-plan.js';
import type { DocumentState, FinalPdf } from './document.repository.js';
import { bringsDocument } from './document-messages.js';

/**
 * What a follow-up brings: a number; the news that the report of a donation was cancelled, after which no number is brought; or that no
 * input VAT is deducted by an invoice, which a number makes out of date.
 */
type News = 'number' | 'report_cancelled' | 'not_deductible';

/** Null: there is no news. */
function newsOf({ allocationNumber, reportCancelled, notDeductible }: FinalPdf): News | null {
  if (reportCancelled) {
    return 'report_cancelled';
  }
  if (allocationNumber !== null) {
    return 'number';
  }
  return notDeductible ? 'not_deductible' : null;
}

/**
 * Plans the messages that bring news to those who were sent, or may have been sent, the document without it: one of each for each
 * recipient, whatever happens again. The lock of the document orders this with the attempts.
 * @returns how many are new.
 */
export async function insertFollowUps(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  { cancelled, rendered }: DocumentState,
  now: Date,
): Promise<number> {
  const news = cancelled || !rendered ? null : newsOf(rendered);
  if (news === null) {
    return 0;
  }
  const messages = await messagesWithout(trx, key, news);
  if (messages.length === 0) {
    return 0;
  }
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('delivery')
    .values(messages.map((message) => followUp(message, news, now)))
    .onConflict((conflict) => conflict.columns(['business_id', 'follows', 'report_cancelled']).doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows ?? 0);
}

/**
 * The first message to each recipient of which an attempt without the news was, or may have been, accepted, unless a follow-up to
 * that recipient is planned already.
 */
async function messagesWithout(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  news: News,
): Promise<DeliveryRow[]> {
  return (
    trx
      .selectFrom('delivery')
      .selectAll()
      .distinctOn(['channel', 'purpose', 'recipient'])
      .where('business_id', '=', key.business_id)
      .where('document_id', '=', key.document_id)
      .where('follows', 'is', null)
      // It brings no document, and leads to the page, which has the news.
      .where(bringsDocument)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('attempt')
            .select('n')
            .whereRef('attempt.business_id', '=', 'delivery.business_id')
            .whereRef('attempt.delivery_id', '=', 'delivery.id')
            .where((where) =>
              news === 'number'
                ? where('attempt.allocation_number', 'is', null)
                : where(`attempt.${news}`, '=', false),
            )
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
              .where('follower.follows', 'is not', null)
              .where('follower.report_cancelled', '=', news !== 'number'),
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

function followUp(message: DeliveryRow, news: News, now: Date) {
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
    report_cancelled: news !== 'number',
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
