import { randomUUID } from 'node:crypto';
import type { DeliveryOutcome } from '@pinkas/contracts';
import {
  advisoryLock,
  currentContext,
  currentTraceJson,
  type Database,
  type Transaction,
} from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { DeliveryFacts, DeliveryTables, DocumentKey } from './delivery.tables.js';
import { initialState, type PlannedMessage } from './delivery-plan.js';
import { cancelledReason } from './send-policy.js';

/**
 * Serializes the events of a document and the send attempts of its messages: each sees what the other has committed, so that
 * no message waits for ever or is sent after a cancellation.
 */
export async function lockDocument(trx: Transaction<DeliveryTables>, key: DocumentKey): Promise<void> {
  await advisoryLock(trx, key.business_id, key.document_id);
}

/** Whether the final PDF of a document exists. */
export async function isRendered(db: Database<DeliveryTables>, key: DocumentKey): Promise<boolean> {
  const row = await db
    .selectFrom('rendered_document')
    .select('revision')
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the cancellation of a document is recorded here. */
export async function isCancelled(db: Database<DeliveryTables>, key: DocumentKey): Promise<boolean> {
  const row = await db
    .selectFrom('cancelled_document')
    .select('recorded_at')
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Stores a plan with its messages. A document is planned once.
 * @returns `isNew`: whether it was stored now; `mayBeDue`: whether a message may be due.
 */
export async function insertPlan(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  plan: { outcome: DeliveryOutcome; messages: readonly PlannedMessage[] },
  parts: { facts: DeliveryFacts; messageIdDomain: string; now: Date },
): Promise<{ isNew: boolean; mayBeDue: boolean }> {
  const { outcome, messages } = plan;
  const { numInsertedOrUpdatedRows: inserted } = await trx
    .insertInto('plan')
    .values({
      ...key,
      status: outcome.status,
      channel: outcome.channel,
      scheduled_for: outcome.scheduled_for === null ? null : new Date(outcome.scheduled_for),
      planned_at: parts.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (inserted === 0n) {
    return { isNew: false, mayBeDue: false };
  }
  if (messages.length === 0) {
    return { isNew: true, mayBeDue: false };
  }
  await lockDocument(trx, key);
  const document = { cancelled: await isCancelled(trx, key), rendered: await isRendered(trx, key) };
  await insertMessages(trx, key, messages, { ...parts, document });
  return { isNew: true, mayBeDue: !document.cancelled };
}

async function insertMessages(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  messages: readonly PlannedMessage[],
  parts: {
    facts: DeliveryFacts;
    messageIdDomain: string;
    now: Date;
    document: { cancelled: boolean; rendered: boolean };
  },
): Promise<void> {
  const { facts, messageIdDomain, now, document } = parts;
  const rows = messages.map((message) => {
    const id = randomUUID();
    const state = initialState(message, document);
    return {
      ...key,
      id,
      channel: message.channel,
      purpose: message.purpose,
      recipient: message.recipient,
      state,
      facts: JSON.stringify(facts),
      message_id: `<${id}@${messageIdDomain}>`,
      request_id: currentContext()?.requestId ?? null,
      trace: currentTraceJson(),
      not_before: message.notBefore,
      first_attempt_at: null,
      next_attempt_at: message.notBefore ?? now,
      claimed_until: null,
      last_error: message.failure ?? null,
      created_at: now,
      sent_at: null,
      failed_at: state === 'failed' ? now : null,
      withdrawn_at: state === 'withdrawn' ? now : null,
      withdrawn_reason: state === 'withdrawn' ? cancelledReason : null,
    };
  });
  await trx.insertInto('delivery').values(rows).execute();
}

/** Records that a document's PDF is final and releases the messages that wait for it. @returns whether there were any. */
export async function releaseDocument(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  revision: number,
  now: Date,
): Promise<boolean> {
  await lockDocument(trx, key);
  await trx
    .insertInto('rendered_document')
    .values({ ...key, revision, rendered_at: now })
    .onConflict((conflict) =>
      conflict.columns(['business_id', 'document_id']).doUpdateSet({
        revision: sql`greatest(rendered_document.revision, excluded.revision)`,
      }),
    )
    .execute();
  const { numUpdatedRows } = await trx
    .updateTable('delivery')
    .set({ state: 'ready' })
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Records that a document is cancelled and withdraws its unsent messages, except one whose send attempt is in flight. */
export async function withdrawDocument(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  now: Date,
): Promise<void> {
  await lockDocument(trx, key);
  await trx
    .insertInto('cancelled_document')
    .values({ business_id: key.business_id, document_id: key.document_id, recorded_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await withdrawUnsent(trx, key, now);
}

/** Withdraws the messages of a document that are waiting or ready. */
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
    .execute();
}
