import type { Database, Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import { releaseClaim } from './claim.repository.js';
import {
  type AttemptTable,
  type DeliveryRow,
  type DeliveryTables,
  deliveryColumns,
  type MessageKey,
} from './delivery.tables.js';
import { lockDocument } from './document.repository.js';
import type { MessagePdf } from './message-artifacts.js';
import { withdrawUnsent } from './plan.repository.js';
import type { SendOutcome } from './send-policy.js';
import type { AllocationState } from './wording.js';

/** A send attempt that has begun. */
export interface Attempt {
  readonly row: DeliveryRow;
  /** 1, 2, … over the whole life of the message. */
  readonly n: number;
  /** What the message says of the allocation number. */
  readonly allocation: AllocationState;
}

/**
 * Records that a send attempt begins: if the process dies from here on, its outcome is unknown.
 * @returns undefined where nothing must be sent now: the document is cancelled (its messages are withdrawn), a later revision of
 * the PDF is final by now (the message is due again), or the claim has expired and another worker may have it.
 */
export async function beginAttempt(
  trx: Transaction<DeliveryTables>,
  row: DeliveryRow,
  pdf: MessagePdf,
  now: Date,
  until: Date,
): Promise<Attempt | undefined> {
  const { cancelled, rendered } = await lockDocument(trx, row);
  if (cancelled) {
    await withdrawUnsent(trx, row, now);
    return undefined;
  }
  if (rendered && rendered.revision > pdf.revision) {
    await releaseClaim(trx, row);
    return undefined;
  }
  const sending = await trx
    .updateTable('delivery')
    .set({ state: 'sending', claimed_until: until })
    .where('business_id', '=', row.business_id)
    .where('id', '=', row.id)
    .where('state', '=', 'ready')
    .where('claimed_until', '=', row.claimed_until)
    .returning(deliveryColumns)
    .executeTakeFirst();
  if (!sending) {
    return undefined;
  }
  const number = pdf.allocationNumber;
  return {
    row: sending,
    n: await insertAttempt(trx, row, number, now),
    allocation: { number, isPending: number === null && rendered?.allocationPending === true },
  };
}

/** Counts a message for a day of its business. @returns false where the day is full: nothing is counted then. */
export async function countForDay(
  trx: Transaction<DeliveryTables>,
  businessId: string,
  day: string,
  limit: number,
): Promise<boolean> {
  const counted = await trx
    .insertInto('daily_count')
    .values({ business_id: businessId, counted_on: day, messages: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['business_id', 'counted_on'])
        .doUpdateSet({ messages: sql`daily_count.messages + 1` })
        .where('daily_count.messages', '<', limit),
    )
    .returning('messages')
    .executeTakeFirst();
  return counted !== undefined;
}

async function insertAttempt(
  trx: Transaction<DeliveryTables>,
  row: MessageKey,
  allocationNumber: string | null,
  now: Date,
): Promise<number> {
  const { n } = await trx
    .insertInto('attempt')
    .columns(['business_id', 'delivery_id', 'n', 'allocation_number', 'started_at'])
    .expression((select) =>
      select
        .selectFrom('attempt')
        .select((eb) => [
          eb.val(row.business_id).as('business_id'),
          eb.val(row.id).as('delivery_id'),
          sql<number>`coalesce(max(n), 0) + 1`.as('n'),
          eb.val(allocationNumber).as('allocation_number'),
          eb.val(now).as('started_at'),
        ])
        .where('business_id', '=', row.business_id)
        .where('delivery_id', '=', row.id),
    )
    .returning('n')
    .executeTakeFirstOrThrow();
  return n;
}

/**
 * Records the outcome of an attempt. An unknown outcome may turn out to be an accepted one.
 * @param n the number of the attempt; null: the open one.
 */
export async function endAttempt(
  trx: Transaction<DeliveryTables>,
  key: MessageKey,
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
    )
    .execute();
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
