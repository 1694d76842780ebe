import { randomUUID } from 'node:crypto';
import type { DeliveryOutcome } from '@pinkas/contracts';
import { currentContext, currentTraceJson, type Database, type Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { AfterSend, SendOutcome } from './after-send.js';
import type {
  DeliveryChannel,
  DeliveryFacts,
  DeliveryTable,
  DeliveryTables,
  PlanTable,
} from './delivery.tables.js';
import type { PlannedMessage } from './delivery-plan.js';
import { heldUntil } from './quiet-hours.js';
import { isSuppressed } from './suppression.repository.js';

export type DeliveryRow = Selectable<DeliveryTable>;

interface DocumentKey {
  business_id: string;
  document_id: string;
}

/** One message by its key. */
export interface MessageKey {
  business_id: string;
  id: string;
}

/** What the operator reads of a message that is never to be sent. */
const cancelledReason = 'The document was cancelled.';

/**
 * Makes the events of a document, and the handing over of its messages, wait for each other: without it each could miss what
 * the other has not committed yet, and messages would wait for ever, or leave after all.
 */
export async function lockDocument(trx: Transaction<DeliveryTables>, key: DocumentKey): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${key.business_id} ${key.document_id}`}, 0))`.execute(
    trx,
  );
}

/**
 * Stores a plan with its messages, which are ready at once where the final PDF is there already, and withdrawn where the
 * document was cancelled meanwhile. What was planned once is not planned again.
 * @returns whether it was stored now, and whether any of the messages may leave.
 */
export async function insertPlan(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  plan: { outcome: DeliveryOutcome; messages: readonly PlannedMessage[] },
  parts: { facts: DeliveryFacts; messageIdDomain: string; now: Date },
): Promise<{ isNew: boolean; mayLeave: boolean }> {
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
  if (inserted === 0n) return { isNew: false, mayLeave: false };
  if (messages.length === 0) return { isNew: true, mayLeave: false };
  await lockDocument(trx, key);
  const cancelled = await isCancelled(trx, key);
  const due = (await isRendered(trx, key)) ? ('ready' as const) : ('waiting' as const);
  const stateOf = ({ failure }: PlannedMessage) =>
    cancelled ? ('withdrawn' as const) : failure === undefined ? due : ('failed' as const);
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
          state: stateOf(message),
          facts: JSON.stringify(parts.facts),
          message_id: `<${id}@${parts.messageIdDomain}>`,
          request_id: currentContext()?.requestId ?? null,
          trace: currentTraceJson(),
          not_before: message.notBefore,
          first_attempt_at: null,
          next_attempt_at: message.notBefore ?? parts.now,
          claimed_until: null,
          last_error: message.failure ?? null,
          created_at: parts.now,
          sent_at: null,
          failed_at: stateOf(message) === 'failed' ? parts.now : null,
          withdrawn_at: cancelled ? parts.now : null,
          withdrawn_reason: cancelled ? cancelledReason : null,
        };
      }),
    )
    .execute();
  return { isNew: true, mayLeave: !cancelled };
}

/** Whether a document's PDF is final. */
async function isRendered(db: Database<DeliveryTables>, key: DocumentKey): Promise<boolean> {
  const row = await db
    .selectFrom('rendered')
    .select('revision')
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .executeTakeFirst();
  return row !== undefined;
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

/** Takes messages of a channel that are due, for this worker alone until `until`. */
export async function claimDue(
  db: Database<DeliveryTables>,
  channel: DeliveryChannel,
  limit: number,
  now: Date,
  until: Date,
): Promise<DeliveryRow[]> {
  return db
    .with('due', (due) =>
      due
        .selectFrom('delivery')
        .select(['business_id', 'id'])
        .where('channel', '=', channel)
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
 * Says that the message is about to be handed over, and begins the attempt: from here on a crash leaves its fate unknown. A
 * message of a cancelled document is withdrawn instead.
 * @returns the row as it is now with the number of the attempt, or undefined where it must not be sent: its document was
 * cancelled, or the claim has lapsed and another worker may be at it.
 */
export async function beginAttempt(
  trx: Transaction<DeliveryTables>,
  row: DeliveryRow,
  now: Date,
  until: Date,
): Promise<{ row: DeliveryRow; n: number } | undefined> {
  await lockDocument(trx, row);
  if (await isCancelled(trx, row)) {
    await withdrawUnsent(trx, row, now);
    return undefined;
  }
  const sending = await trx
    .updateTable('delivery')
    .set({ state: 'sending', claimed_until: until })
    .where('business_id', '=', row.business_id)
    .where('id', '=', row.id)
    .where('state', '=', 'ready')
    .where('claimed_until', '=', row.claimed_until)
    .returningAll()
    .executeTakeFirst();
  if (!sending) return undefined;
  const { n } = await trx
    .insertInto('attempt')
    .columns(['business_id', 'delivery_id', 'n', 'started_at'])
    .expression((select) =>
      select
        .selectFrom('attempt')
        .select((one) => [
          one.val(row.business_id).as('business_id'),
          one.val(row.id).as('delivery_id'),
          sql<number>`coalesce(max(n), 0) + 1`.as('n'),
          one.val(now).as('started_at'),
        ])
        .where('business_id', '=', row.business_id)
        .where('delivery_id', '=', row.id),
    )
    .returning('n')
    .executeTakeFirstOrThrow();
  return { row: sending, n };
}

/**
 * Writes down what a handing over came to. One whose fate was unknown may turn out to have been accepted after all.
 * @param n the number of the attempt; null: the one that is open.
 */
export async function endAttempt(
  trx: Transaction<DeliveryTables>,
  row: MessageKey,
  n: number | null,
  outcome: SendOutcome,
  now: Date,
): Promise<void> {
  const accepted = outcome.kind === 'accepted';
  await trx
    .updateTable('attempt')
    .set({
      outcome: outcome.kind,
      ended_at: now,
      words: (accepted ? outcome.words : outcome.reason) ?? null,
      provider_id: (accepted ? outcome.providerId : undefined) ?? null,
      ...(outcome.kind === 'unknown' ? { was_unknown: true } : {}),
    })
    .where('business_id', '=', row.business_id)
    .where('delivery_id', '=', row.id)
    .where((where) => (n === null ? where.val(true) : where('n', '=', n)))
    .where((where) =>
      accepted
        ? where.or([where('outcome', 'is', null), where('outcome', '=', 'unknown')])
        : where('outcome', 'is', null),
    )
    .execute();
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
export async function lockDelivery(trx: Transaction<DeliveryTables>, row: MessageKey): Promise<DeliveryRow> {
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
  row: MessageKey,
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

/**
 * How many messages have not left, whosever they are, and for how long the oldest of them has been due. Those that wait for
 * their PDF are not among them: rendering's steps tell of these.
 */
export async function openMessages(
  all: Database<DeliveryTables>,
  now: Date,
): Promise<{ due: number; deferred: number; sending: number; oldestDueSeconds: number }> {
  // Two looks, so that each goes by an index of its own.
  const ready = await all
    .selectFrom('delivery')
    .select([
      sql<number>`(count(*) filter (where next_attempt_at <= ${now}))::int`.as('due'),
      sql<number>`(count(*) filter (where next_attempt_at > ${now}))::int`.as('deferred'),
      sql<Date | null>`min(next_attempt_at)`.as('first'),
    ])
    .where('state', '=', 'ready')
    .executeTakeFirstOrThrow();
  const { sending } = await all
    .selectFrom('delivery')
    .select(sql<number>`count(*)::int`.as('sending'))
    .where('state', '=', 'sending')
    .executeTakeFirstOrThrow();
  const { due, deferred, first } = ready;
  const oldestDueSeconds = first ? Math.max(0, (now.getTime() - first.getTime()) / 1_000) : 0;
  return { due, deferred, sending, oldestDueSeconds };
}

/** What is written down of messages that are not sent because their address is suppressed. */
export const suppressedReason = 'The address is suppressed.';

/**
 * Makes the failed messages of a document due again, as if they had never been tried, each at the end of the quiet hours that
 * it would leave in. Those of a cancelled document are withdrawn; those to a suppressed address stay failed, and say so.
 * @returns how many are due again.
 */
export async function resendFailed(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  now: Date,
): Promise<number> {
  await lockDocument(trx, key);
  const cancelled = await isCancelled(trx, key);
  const state = (await isRendered(trx, key)) ? 'ready' : 'waiting';
  const failed = await trx
    .selectFrom('delivery')
    .selectAll()
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('state', '=', 'failed')
    .forUpdate()
    .execute();
  let resent = 0;
  for (const row of failed) {
    const change = trx
      .updateTable('delivery')
      .where('business_id', '=', row.business_id)
      .where('id', '=', row.id);
    if (cancelled) {
      await change
        .set({ state: 'withdrawn', failed_at: null, withdrawn_at: now, withdrawn_reason: cancelledReason })
        .execute();
    } else if (await isSuppressed(trx, row.business_id, row.channel, row.recipient)) {
      await change.set({ last_error: suppressedReason }).execute();
    } else {
      const quietEnd = heldUntil(row.purpose, row.facts.business.quiet_hours, now);
      await change
        .set({
          state,
          failed_at: null,
          attempts: 0,
          unknown_outcomes: 0,
          first_attempt_at: null,
          next_attempt_at: quietEnd ?? now,
          not_before: quietEnd,
          resends: row.resends + 1,
        })
        .execute();
      resent += 1;
    }
  }
  return resent;
}

/** The plan of a document, whoever's it is. */
export async function findPlan(
  all: Database<DeliveryTables>,
  documentId: string,
): Promise<Selectable<PlanTable> | undefined> {
  return all.selectFrom('plan').selectAll().where('document_id', '=', documentId).executeTakeFirst();
}

/** All messages of a document, the customer's first. */
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

/** The messages that were given up, the latest first. @param after only those that come after this one. */
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

/** What the attempts of some documents' messages came to, by message. */
export async function countAttempts(
  db: Database<DeliveryTables>,
  businessId: string,
  deliveryIds: readonly string[],
): Promise<Map<string, { accepted: number; unknown: number }>> {
  if (deliveryIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('attempt')
    .select((of) => [
      'delivery_id',
      of.fn.countAll<number>().filterWhere('outcome', '=', 'accepted').as('accepted'),
      of.fn.countAll<number>().filterWhere('was_unknown', '=', true).as('unknown'),
    ])
    .where('business_id', '=', businessId)
    .where('delivery_id', 'in', deliveryIds)
    .groupBy('delivery_id')
    .execute();
  return new Map(rows.map(({ delivery_id, accepted, unknown }) => [delivery_id, { accepted, unknown }]));
}

/** Which of some documents of a business were planned, and all their messages. */
export async function plansAndMessages(
  db: Database<DeliveryTables>,
  businessId: string,
  documentIds: readonly string[],
): Promise<{ planned: Set<string>; messages: DeliveryRow[] }> {
  if (documentIds.length === 0) return { planned: new Set(), messages: [] };
  const plans = await db
    .selectFrom('plan')
    .select('document_id')
    .where('business_id', '=', businessId)
    .where('document_id', 'in', documentIds)
    .execute();
  const messages = await db
    .selectFrom('delivery')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('document_id', 'in', documentIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return { planned: new Set(plans.map(({ document_id }) => document_id)), messages };
}
