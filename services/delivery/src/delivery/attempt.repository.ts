import { dayInIsrael } from '@pinkas/domain';
import {
  type Database,
  type OutboxEvent,
  type OutboxTransaction,
  outboxRows,
  type Transaction,
} from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import {
  type AttemptTable,
  type DeliveryRow,
  type DeliveryTables,
  deliveryColumns,
  type MessageKey,
} from '../db/delivery.tables.js';
import { cancelledReason, type SendOutcome, type SendTransition } from '../message/send-policy.js';
import type { AllocationState } from '../message/wording.js';
import { releaseClaim } from './claim.repository.js';
import type { LockedForAttempt } from './document.repository.js';
import type { MessagePdf } from './message-artifacts.js';
import { withdrawUnsent } from './plan.repository.js';
import { suppressionOf } from './suppression.repository.js';

/** A send attempt that has begun. */
export interface Attempt {
  readonly row: DeliveryRow;
  /** 1, 2, … over the whole life of the message. */
  readonly n: number;
  /** What the message says of the allocation number. */
  readonly allocation: AllocationState;
}

/** The day of its business has no room for one more message; the attempt is rolled back. */
export class DayFullError extends Error {}

interface AttemptParts {
  readonly pdf: MessagePdf;
  readonly until: Date;
  readonly limit: number;
}

/**
 * Records that a send attempt begins: if the process dies from here on, its outcome is unknown. The first attempt counts its message
 * for the day of its business.
 * @returns undefined where nothing must be sent now: the document is cancelled (its messages are withdrawn), a later revision of
 * the PDF is final or the address is suppressed by now (the message is due again), or the claim has expired and another worker may
 * have it.
 * @throws DayFullError where the day has `limit` messages already.
 */
export async function beginAttempt(
  trx: Transaction<DeliveryTables>,
  row: DeliveryRow,
  { cancelled, rendered, now }: LockedForAttempt,
  parts: AttemptParts,
): Promise<Attempt | undefined> {
  if (cancelled && row.reminder === null) {
    await withdrawUnsent(trx, row, now);
    return undefined;
  }
  if (rendered && rendered.revision > parts.pdf.revision) {
    await releaseClaim(trx, row);
    return undefined;
  }
  const begun = await insertAttempt(trx, row, now, parts);
  if (!begun) {
    await releaseClaim(trx, row);
    return undefined;
  }
  const { n, ...message } = begun;
  if (n === null) {
    throw new DayFullError();
  }
  const { allocationNumber: number, reportCancelled, notDeductible } = parts.pdf;
  const isPending = number === null && rendered?.allocationPending === true;
  return { row: message, n, allocation: { number, isPending, reportCancelled, notDeductible } };
}

/**
 * The statement of `beginAttempt`: the message with the number of its attempt.
 * @returns undefined where it is not claimed any more or its address is suppressed; null as `n` where the day is full.
 */
function insertAttempt(
  trx: Transaction<DeliveryTables>,
  row: DeliveryRow,
  now: Date,
  { pdf, until, limit }: AttemptParts,
): Promise<(DeliveryRow & { n: number | null }) | undefined> {
  return trx
    .with('sending', (db) =>
      db
        .updateTable('delivery')
        .set({ state: 'sending', claimed_until: until })
        .where('business_id', '=', row.business_id)
        .where('id', '=', row.id)
        .where('state', '=', 'ready')
        .where('claimed_until', '=', row.claimed_until)
        // Not with the lock: that statement sees what was suppressed before its wait.
        .where((where) => where.not(where.exists(suppressionOf(db, row))))
        .returning(deliveryColumns),
    )
    .with(
      'numbered',
      () => sql<{ n: number }>`
        (select coalesce(max(n), 0) + 1 as n from attempt
          where business_id = ${row.business_id} and delivery_id = ${row.id})`,
    )
    .with(
      'counted',
      () => sql<{ messages: number }>`
        (insert into daily_count (business_id, counted_on, messages)
        select business_id, ${dayInIsrael(now)}::date, 1 from sending, numbered where n = 1
        on conflict (business_id, counted_on) do update set messages = daily_count.messages + 1
          where daily_count.messages < ${limit}
        returning messages)`,
    )
    .with(
      'begun',
      () => sql<{ n: number }>`
        (insert into attempt
          (business_id, delivery_id, n, allocation_number, report_cancelled, not_deductible, started_at)
        select business_id, id, n, ${pdf.allocationNumber}::text, ${pdf.reportCancelled}::boolean,
            ${pdf.notDeductible}::boolean, ${now}::timestamptz
          from sending, numbered where n > 1 or exists (select messages from counted)
        returning n)`,
    )
    .selectFrom('sending')
    .leftJoin('begun', (join) => join.onTrue())
    .select(sendingColumns)
    .select('begun.n')
    .executeTakeFirst();
}

const sendingColumns = deliveryColumns.map((column) => `sending.${column}` as const);

/**
 * Records the outcome of an attempt, in a statement of its own or within another. An unknown outcome may turn out to be an accepted
 * one.
 * @param n the number of the attempt; null: the open one, where there is one.
 */
export function endAttempt(
  db: Pick<Transaction<DeliveryTables>, 'updateTable'>,
  key: MessageKey,
  n: number | null,
  outcome: SendOutcome,
  now: Date,
) {
  const accepted = outcome.kind === 'accepted';
  return db
    .updateTable('attempt')
    .set({
      outcome: outcome.kind,
      ended_at: now,
      provider_response: (accepted ? outcome.response : outcome.reason) ?? null,
      provider_id: (accepted ? outcome.providerId : undefined) ?? null,
      ...(outcome.kind === 'unknown' ? { was_unknown: true } : {}),
    })
    .where('business_id', '=', key.business_id)
    .where('delivery_id', '=', key.id)
    .where((where) => (n === null ? where.val(true) : where('n', '=', n)))
    .where((where) =>
      accepted
        ? where.or([where('outcome', 'is', null), where('outcome', '=', 'unknown')])
        : where('outcome', 'is', null),
    );
}

/**
 * Counts the accepted and the unknown attempts of some messages, by message; `withoutNumber`: those of them whose PDF showed no
 * allocation number.
 */
export async function countAttempts(
  db: Database<DeliveryTables>,
  businessId: string,
  deliveryIds: readonly string[],
): Promise<Map<string, { accepted: number; unknown: number; withoutNumber: number }>> {
  if (deliveryIds.length === 0) {
    return new Map();
  }
  const rows = await db
    .selectFrom('attempt')
    .select((eb) => [
      'delivery_id',
      eb.fn.countAll<number>().filterWhere('outcome', '=', 'accepted').as('accepted'),
      eb.fn.countAll<number>().filterWhere('was_unknown', '=', true).as('unknown'),
      eb.fn
        .countAll<number>()
        .filterWhere((where) =>
          where.and([
            where('allocation_number', 'is', null),
            where.or([where('outcome', '=', 'accepted'), where('was_unknown', '=', true)]),
          ]),
        )
        .as('withoutNumber'),
    ])
    .where('business_id', '=', businessId)
    .where('delivery_id', 'in', deliveryIds)
    .groupBy('delivery_id')
    .execute();
  return new Map(rows.map(({ delivery_id, ...counts }) => [delivery_id, counts]));
}

/** The attempts of some messages of a business, in their order, by message. */
export async function attemptsOf(
  db: Database<DeliveryTables>,
  businessId: string,
  deliveryIds: readonly string[],
): Promise<Map<string, Selectable<AttemptTable>[]>> {
  if (deliveryIds.length === 0) {
    return new Map();
  }
  const rows = await db
    .selectFrom('attempt')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('n')
    .execute();
  const byMessage = new Map<string, Selectable<AttemptTable>[]>(deliveryIds.map((id) => [id, []]));
  for (const row of rows) {
    byMessage.get(row.delivery_id)?.push(row);
  }
  return byMessage;
}

/**
 * Ends an attempt, stores what it changes of its message, releases the claim and publishes the events, in one statement.
 * @param n the number of the attempt; null: the open one, where there is one.
 */
export async function storeOutcome(
  trx: OutboxTransaction<DeliveryTables>,
  key: MessageKey,
  n: number | null,
  outcome: SendOutcome,
  { transition, events, now }: { transition: SendTransition; events: readonly OutboxEvent[]; now: Date },
): Promise<void> {
  await trx
    .with('ended', (db) => endAttempt(db, key, n, outcome, now))
    .with('changed', (db) =>
      db
        .updateTable('delivery')
        .set((set) => ({
          state: transition.state,
          attempts: transition.attempts,
          unknown_outcomes: transition.unknownOutcomes,
          first_attempt_at: transition.firstAttemptAt,
          next_attempt_at: transition.nextAttemptAt ?? set.ref('next_attempt_at'),
          claimed_until: null,
          last_error: transition.lastError,
          sent_at: transition.state === 'sent' ? now : null,
          failed_at: transition.state === 'failed' ? now : null,
          withdrawn_at: transition.state === 'withdrawn' ? now : null,
          withdrawn_reason: transition.state === 'withdrawn' ? cancelledReason : null,
        }))
        .where('business_id', '=', key.business_id)
        .where('id', '=', key.id),
    )
    .insertInto('outbox')
    .columns(['id', 'subject', 'body', 'request_id', 'trace'])
    .expression(sql`select id, subject, body, request_id, trace from ${outboxRows(trx, events)}`)
    .execute();
}
