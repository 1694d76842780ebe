import { randomUUID } from 'node:crypto';
import type { DeliveryOutcome } from '@pinkas/contracts';
import { currentContext, type Database, type Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { AfterSend } from './after-send.js';
import type { DeliveryFacts, DeliveryTable, DeliveryTables } from './delivery.tables.js';
import type { PlannedMessage } from './delivery-plan.js';

export type DeliveryRow = Selectable<DeliveryTable>;

interface DocumentKey {
  business_id: string;
  document_id: string;
}

/** What the operator reads of a message that is never to be sent. */
const cancelledReason = 'The document was cancelled.';

/**
 * Makes the events of a document, and the handing over of its messages, wait for each other: without it each could miss what
 * the other has not committed yet, and messages would wait for ever, or leave after all.
 */
async function lockDocument(trx: Transaction<DeliveryTables>, key: DocumentKey): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${key.business_id} ${key.document_id}`}, 0))`.execute(
    trx,
  );
}

/**
 * Stores a plan with its messages, which are ready at once where the final PDF is there already, and withdrawn where the
 * document was cancelled meanwhile.
 * @returns whether any of them may leave.
 */
export async function insertPlan(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  plan: { outcome: DeliveryOutcome; messages: readonly PlannedMessage[] },
  parts: { facts: DeliveryFacts; messageIdDomain: string; now: Date },
): Promise<boolean> {
  const { outcome, messages } = plan;
  await trx
    .insertInto('plan')
    .values({
      ...key,
      status: outcome.status,
      channel: outcome.channel,
      scheduled_for: outcome.scheduled_for === null ? null : new Date(outcome.scheduled_for),
      planned_at: parts.now,
    })
    .execute();
  if (messages.length === 0) return false;
  await lockDocument(trx, key);
  const rendered = await trx
    .selectFrom('rendered')
    .select('revision')
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .executeTakeFirst();
  const cancelled = await isCancelled(trx, key);
  const due = rendered ? ('ready' as const) : ('waiting' as const);
  await trx
    .insertInto('delivery')
    .values(
      messages.map((message) => {
        const id = randomUUID();
        return {
          ...key,
          id,
          channel: message.channel,
          purpose: message.purpose,
          recipient: message.recipient,
          state: cancelled ? ('withdrawn' as const) : due,
          facts: JSON.stringify(parts.facts),
          message_id: `<${id}@${parts.messageIdDomain}>`,
          request_id: currentContext()?.requestId ?? null,
          not_before: message.notBefore,
          first_attempt_at: null,
          next_attempt_at: message.notBefore ?? parts.now,
          claimed_until: null,
          last_error: null,
          created_at: parts.now,
          sent_at: null,
          failed_at: null,
          withdrawn_at: cancelled ? parts.now : null,
          withdrawn_reason: cancelled ? cancelledReason : null,
        };
      }),
    )
    .execute();
  return !cancelled;
}

/** Whether it was heard that a document is cancelled. */
export async function isCancelled(db: Database<DeliveryTables>, key: DocumentKey): Promise<boolean> {
  const row = await db
    .selectFrom('cancelled')
    .select('noted_at')
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Notes that a document is cancelled, and withdraws those of its messages that have not left. One that is being handed over
 * is left to its outcome.
 */
export async function withdraw(trx: Transaction<DeliveryTables>, key: DocumentKey, now: Date): Promise<void> {
  await lockDocument(trx, key);
  await trx
    .insertInto('cancelled')
    .values({ business_id: key.business_id, document_id: key.document_id, noted_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await withdrawUnsent(trx, key, now);
}

async function withdrawUnsent(trx: Transaction<DeliveryTables>, key: DocumentKey, now: Date): Promise<void> {
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

/** Notes that a document's PDF is final, and lets go of the messages that waited for it. @returns whether there were any. */
export async function release(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  revision: number,
  now: Date,
): Promise<boolean> {
  await lockDocument(trx, key);
  await trx
    .insertInto('rendered')
    .values({ ...key, revision, rendered_at: now })
    .onConflict((conflict) =>
      conflict.columns(['business_id', 'document_id']).doUpdateSet({
        revision: sql`greatest(rendered.revision, excluded.revision)`,
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

/** Takes messages that are due, for this worker alone until `until`. */
export async function claimDue(
  db: Database<DeliveryTables>,
  limit: number,
  now: Date,
  until: Date,
): Promise<DeliveryRow[]> {
  return db
    .with('due', (due) =>
      due
        .selectFrom('delivery')
        .select(['business_id', 'id'])
        .where('state', '=', 'ready')
        .where('next_attempt_at', '<=', now)
        .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<', now)]))
        .orderBy('next_attempt_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('delivery')
    .from('due')
    .set({ claimed_until: until })
    .whereRef('delivery.business_id', '=', 'due.business_id')
    .whereRef('delivery.id', '=', 'due.id')
    .returningAll('delivery')
    .execute();
}

/**
 * Says that the message is about to be handed over: from here on a crash leaves its fate unknown. A message of a cancelled
 * document is withdrawn instead.
 * @returns the row as it is now, or undefined where it must not be sent: its document was cancelled, or the claim has lapsed
 * and another worker may be at it.
 */
export async function markSending(
  trx: Transaction<DeliveryTables>,
  row: DeliveryRow,
  now: Date,
  until: Date,
): Promise<DeliveryRow | undefined> {
  await lockDocument(trx, row);
  if (await isCancelled(trx, row)) {
    await withdrawUnsent(trx, row, now);
    return undefined;
  }
  return trx
    .updateTable('delivery')
    .set({ state: 'sending', claimed_until: until })
    .where('business_id', '=', row.business_id)
    .where('id', '=', row.id)
    .where('state', '=', 'ready')
    .where('claimed_until', '=', row.claimed_until)
    .returningAll()
    .executeTakeFirst();
}

/** Messages that a process began to send and never came back to. */
export async function lockLapsed(
  trx: Transaction<DeliveryTables>,
  limit: number,
  now: Date,
): Promise<DeliveryRow[]> {
  return trx
    .selectFrom('delivery')
    .selectAll()
    .where('state', '=', 'sending')
    .where('claimed_until', '<', now)
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** The row of a message as it is now, held until the transaction ends. */
export async function lockDelivery(
  trx: Transaction<DeliveryTables>,
  row: { business_id: string; id: string },
): Promise<DeliveryRow> {
  return trx
    .selectFrom('delivery')
    .selectAll()
    .where('business_id', '=', row.business_id)
    .where('id', '=', row.id)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** Stores what a try came to. */
export async function storeSend(
  trx: Transaction<DeliveryTables>,
  row: { business_id: string; id: string },
  after: AfterSend,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('delivery')
    .set((set) => ({
      state: after.state,
      attempts: after.attempts,
      unknown_outcomes: after.unknownOutcomes,
      first_attempt_at: after.firstAttemptAt,
      next_attempt_at: after.nextAttemptAt ?? set.ref('next_attempt_at'),
      claimed_until: null,
      last_error: after.lastError,
      sent_at: after.state === 'sent' ? now : null,
      failed_at: after.state === 'failed' ? now : null,
      withdrawn_at: after.state === 'withdrawn' ? now : null,
      withdrawn_reason: after.state === 'withdrawn' ? cancelledReason : null,
    }))
    .where('business_id', '=', row.business_id)
    .where('id', '=', row.id)
    .execute();
}

/** Gives a claimed message back until later, as if it had not been taken. */
export async function postpone(db: Database<DeliveryTables>, row: DeliveryRow, until: Date): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ next_attempt_at: until, not_before: until, claimed_until: null })
    .where('business_id', '=', row.business_id)
    .where('id', '=', row.id)
    .where('state', '=', 'ready')
    .where('claimed_until', '=', row.claimed_until)
    .execute();
}
