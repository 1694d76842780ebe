import type { Database, Transaction } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { DeliveryRow, DeliveryTables, DocumentKey, MessageKey } from '../db/delivery.tables.js';
import { cancelledReason, type ResendTransition, resendTransition } from '../message/send-policy.js';
import { dueAt } from '../plan/delivery-plan.js';
import { lockDocument, progressOf } from '../plan/document.repository.js';
import { bringsDocument, otherBringsDocument } from '../plan/document-messages.js';
import { isSuppressed } from '../suppression/suppression.repository.js';

/**
 * Makes the failed messages of a document due again where that is possible; a reminder is repeated by another one alone, within the rule
 * of three days.
 * @returns how many are, and how many are to suppressed addresses.
 */
export async function resendFailed(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  now: Date,
): Promise<{ resent: number; suppressed: number }> {
  const document = progressOf(await lockDocument(trx, key), now);
  const failed = await trx
    .selectFrom('delivery')
    .selectAll()
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('state', '=', 'failed')
    .where(bringsDocument)
    .forUpdate()
    .execute();
  const counts = { resent: 0, suppressed: 0 };
  for (const row of failed) {
    const suppressed = await isSuppressed(trx, row.business_id, row.channel, row.recipient);
    const transition = resendTransition(row, { ...document, suppressed }, now);
    await storeResend(trx, row, transition, now);
    if (transition.state === 'ready' || transition.state === 'waiting') {
      counts.resent += 1;
    } else if (transition.state === 'failed') {
      counts.suppressed += 1;
    }
  }
  return counts;
}

async function storeResend(
  trx: Transaction<DeliveryTables>,
  key: MessageKey,
  transition: ResendTransition,
  now: Date,
): Promise<void> {
  const update = trx
    .updateTable('delivery')
    .where('business_id', '=', key.business_id)
    .where('id', '=', key.id);
  switch (transition.state) {
    case 'withdrawn':
      await update
        .set({
          state: 'withdrawn',
          failed_at: null,
          withdrawn_at: now,
          withdrawn_reason: cancelledReason,
        })
        .execute();
      return;
    case 'failed':
      return;
    default:
      await update
        .set({
          state: transition.state,
          failed_at: null,
          attempts: 0,
          unknown_outcomes: 0,
          first_attempt_at: null,
          next_attempt_at: dueAt(transition.notBefore, transition.heldUntil, now),
          not_before: transition.notBefore,
          held_until: transition.heldUntil,
          resends: sql`resends + 1`,
        })
        .execute();
  }
}

/** All messages of a document, the accountant's last. */
export async function messagesOf(db: Database<DeliveryTables>, key: DocumentKey): Promise<DeliveryRow[]> {
  return db
    .selectFrom('delivery')
    .selectAll()
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .orderBy('purpose', 'desc')
    .orderBy('channel')
    .execute();
}

/**
 * The failed messages, the latest first, but for those that were made good: another message of the document has left since, to the same
 * reader. @param after only those that come after this one.
 */
export async function failedMessages(
  db: Database<DeliveryTables>,
  businessId: string | undefined,
  after: { failed_at: Date; id: string } | undefined,
  limit: number,
): Promise<DeliveryRow[]> {
  return db
    .selectFrom('delivery')
    .selectAll()
    .where('state', '=', 'failed')
    .where(
      sql<boolean>`not exists (
        select from delivery as other
        where other.business_id = delivery.business_id and other.document_id = delivery.document_id
          and other.purpose = delivery.purpose and (${otherBringsDocument}) = (${bringsDocument})
          and other.state = 'sent' and other.sent_at >= delivery.failed_at)`,
    )
    .$if(businessId !== undefined, (query) => query.where('business_id', '=', businessId ?? ''))
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('failed_at', 'id'), '<', tuple(after?.failed_at ?? new Date(0), after?.id ?? '')),
      ),
    )
    .orderBy('failed_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** All messages of some documents of a business, in the order in which they were made. */
export async function messagesOfDocuments(
  db: Database<DeliveryTables>,
  businessId: string,
  documentIds: readonly string[],
): Promise<DeliveryRow[]> {
  if (documentIds.length === 0) {
    return [];
  }
  return db
    .selectFrom('delivery')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('document_id', 'in', documentIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** The documents of a business of which every message to the customer has failed, the latest failure first. */
export async function undeliveredDocuments(
  db: Database<DeliveryTables>,
  businessId: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ document_id: string }>`
    select document_id from delivery
    where business_id = ${businessId} and state = 'failed' and purpose = 'customer' and ${bringsDocument} and not exists (
      select from delivery as other
      where other.business_id = delivery.business_id and other.document_id = delivery.document_id
        and other.purpose = 'customer' and ${otherBringsDocument} and other.state not in ('failed', 'withdrawn'))
    group by document_id order by max(failed_at) desc limit ${limit}`.execute(db);
  return rows.map(({ document_id }) => document_id);
}

/** The states of the customer's copies of some documents; a reminder is none. */
export async function deliveryStates(
  db: Database<DeliveryTables>,
  businessId: string,
  documentIds: readonly string[],
): Promise<{ document_id: string; state: 'sent' | 'pending' | 'failed' | 'withdrawn' }[]> {
  const { rows } = await sql<{ document_id: string; state: 'sent' | 'pending' | 'failed' | 'withdrawn' }>`
    select document_id, case
        when bool_or(state = 'sent') then 'sent'
        when bool_or(state in ('waiting', 'ready', 'sending')) then 'pending'
        when bool_or(state = 'failed') then 'failed'
        else 'withdrawn'
      end as state
    from delivery
    where business_id = ${businessId} and document_id = any(${documentIds}::uuid[]) and purpose = 'customer'
      and ${bringsDocument}
    group by document_id`.execute(db);
  return rows;
}
