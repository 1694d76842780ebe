import { currentContext, currentTraceJson, type Transaction, timeOrderedId } from '@pinkas/service-kit';
import { type Insertable, type RawBuilder, sql } from 'kysely';
import {
  type DeliveryChannel,
  type DeliveryFacts,
  type DeliveryRow,
  type DeliveryTable,
  type DeliveryTables,
  type DocumentKey,
  deliveryColumns,
} from '../db/delivery.tables.js';
import type { DocumentProgress } from '../message/send-policy.js';
import { cancelledReason } from '../message/send-policy.js';
import { dueAt, initialState, type PlannedMessage } from './delivery-plan.js';
import { type FinalPdf, progressOf, recordCancelled, recordRendered } from './document.repository.js';
import { bringsDocument } from './document-messages.js';
import { insertFollowUps } from './follow-up.repository.js';

/**
 * Stores the planned messages of a document, each once, whatever its events do.
 * @param claimUntil until when a message of a channel that is due at once is claimed by this process; null: not.
 * @returns the rows that are new.
 */
export async function insertMessages(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  messages: readonly PlannedMessage[],
  parts: MessageParts,
  claimUntil: (channel: DeliveryChannel) => RawBuilder<Date> | null,
): Promise<DeliveryRow[]> {
  if (messages.length === 0) {
    return [];
  }
  const rows = messages.map((message) => {
    const row = messageRow(key, { ...message, id: timeOrderedId() }, parts);
    const isDue = row.state === 'ready' && row.next_attempt_at <= parts.now;
    return { ...row, claimed_until: isDue ? claimUntil(message.channel) : null };
  });
  return trx
    .insertInto('delivery')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning(deliveryColumns)
    .execute();
}

/** The parts of a new message, without its address. */
export interface MessageParts {
  readonly facts: DeliveryFacts;
  /** The domain of the Message-ID. */
  readonly messageIdDomain: string;
  readonly now: Date;
  readonly document: DocumentProgress;
}

/** The row of a new message. */
export function messageRow(
  key: DocumentKey,
  message: PlannedMessage & { readonly id: string; readonly requested?: boolean },
  { facts, messageIdDomain, now, document }: MessageParts,
): Insertable<DeliveryTable> {
  const state = initialState(message, document);
  return {
    business_id: key.business_id,
    document_id: key.document_id,
    id: message.id,
    channel: message.channel,
    purpose: message.purpose,
    recipient: message.recipient,
    follows: null,
    requested: message.requested === true,
    state,
    facts: JSON.stringify(facts),
    message_id: `<${message.id}@${messageIdDomain}>`,
    request_id: currentContext()?.requestId ?? null,
    trace: currentTraceJson(),
    not_before: message.notBefore,
    held_until: document.heldUntil,
    first_attempt_at: null,
    next_attempt_at: dueAt(message.notBefore, document.heldUntil, now),
    claimed_until: null,
    last_error: message.failure ?? null,
    created_at: now,
    sent_at: null,
    failed_at: state === 'failed' ? now : null,
    withdrawn_at: state === 'withdrawn' ? now : null,
    withdrawn_reason: state === 'withdrawn' ? cancelledReason : null,
  };
}

/**
 * Records that a document's PDF is final and releases the messages that wait for it, or for the number that it shows, or does not
 * wait for any more. While the number is being obtained they are held.
 * @returns whether a message may be due.
 */
export async function releaseDocument(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  pdf: FinalPdf,
  now: Date,
): Promise<boolean> {
  const document = await recordRendered(trx, key, pdf);
  if (document.holdUntil === null) {
    return false;
  }
  const { heldUntil } = progressOf(document, now);
  const isHeld = heldUntil !== null;
  const due = isHeld
    ? sql<Date>`greatest(next_attempt_at, ${heldUntil})`
    : sql<Date>`greatest(not_before, ${now})`;
  const { numUpdatedRows } = await trx
    .updateTable('delivery')
    .set({ state: 'ready', held_until: heldUntil, next_attempt_at: due })
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where((where) =>
      where.or([
        where('state', '=', 'waiting'),
        // A message is not attempted before its hold ends: nothing but the hold defers it.
        ...(isHeld ? [] : [where.and([where('state', '=', 'ready'), where('held_until', '>', now)])]),
      ]),
    )
    .executeTakeFirstOrThrow();
  const followUps = await insertFollowUps(trx, key, document, now);
  return numUpdatedRows > 0n || followUps > 0;
}

/** Records that a document is cancelled and withdraws its unsent messages, except one whose send attempt is in flight. */
export async function withdrawDocument(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  now: Date,
): Promise<void> {
  await recordCancelled(trx, key, now);
  await withdrawUnsent(trx, key, now);
}

/** Withdraws the messages of a document that are waiting or ready; a reminder may be about others as well. */
export async function withdrawUnsent(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('delivery')
    .set({
      state: 'withdrawn',
      withdrawn_at: now,
      withdrawn_reason: cancelledReason,
      claimed_until: null,
    })
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('state', 'in', ['waiting', 'ready'])
    .where(bringsDocument)
    .execute();
}
