import {
  type Database,
  type OutboxEvent,
  type OutboxTransaction,
  outboxRows,
  type Transaction,
} from '@pinkas/service-kit';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import {
  type AttemptTable,
  type DeliveryRow,
  type DeliveryTables,
  type DocumentKey,
  deliveryColumns,
  type MessageKey,
} from '../db/delivery.tables.js';
import { cancelledReason, type SendOutcome, type SendTransition } from '../message/send-policy.js';
import type { AllocationState } from '../message/wording.js';
import { lockDocument } from '../plan/document.repository.js';
import { withdrawUnsent } from '../plan/plan.repository.js';
import { suppressionOf } from '../suppression/suppression.repository.js';
import { releaseClaim } from './claim.repository.js';
import type { MessagePdf } from './message-artifacts.js';

/** A send attempt that has begun. */
export interface Attempt {
  readonly row: DeliveryRow;
  /** 1, 2, … over the whole life of the message. */
  readonly n: number;
  /** Of the PDF that it brings. */
  readonly revision: number;
  /** What the message says of the allocation number. */
  readonly allocation: AllocationState;
}

interface AttemptParts {
  readonly pdf: MessagePdf;
  readonly now: RawBuilder<Date>;
  /** Until when its claim lasts. */
  readonly until: RawBuilder<Date>;
  /** The day of its business on which the first attempt counts the message. */
  readonly day: string;
  /** The most messages of that day. */
  readonly limit: number;
}

/**
 * Records that a send attempt begins: if the process dies from here on, its outcome is unknown. One statement, also outside of a
 * transaction: it waits for no lock of the document or the message, so it sees all that was committed for them, and skips what another
 * transaction is changing.
 * @returns `day_full` where the day has `limit` messages; undefined where it must not begin now: another transaction has the document
 * or the message, the document is cancelled, a later revision of the PDF is final, the address is suppressed, or the claim has
 * expired and another worker may have it.
 */
export async function beginAttempt(
  db: Database<DeliveryTables>,
  row: DeliveryRow,
  { pdf, now, until, day, limit }: AttemptParts,
): Promise<Attempt | 'day_full' | undefined> {
  const { allocationNumber: number, reportCancelled, notDeductible, revision } = pdf;
  const begun = await db
    .with('eligible', () => eligibleMessage(db, row, revision))
    .with(
      'counted',
      () => sql<{ messages: number }>`
        (insert into daily_count (business_id, counted_on, messages)
        select business_id, ${day}::date, 1 from eligible where next = 1
        on conflict (business_id, counted_on) do update set messages = daily_count.messages + 1
          where daily_count.messages < ${limit}
        returning messages)`,
    )
    .with('sending', (statement) =>
      statement
        .updateTable('delivery')
        .from('eligible')
        .set({ state: 'sending', claimed_until: until })
        .whereRef('delivery.business_id', '=', 'eligible.business_id')
        .whereRef('delivery.id', '=', 'eligible.id')
        .where(sql<boolean>`(next > 1 or exists (select messages from counted))`)
        .returning(messageColumns)
        .returning('eligible.next as n'),
    )
    .with(
      'begun',
      () => sql<{ n: number }>`
        (insert into attempt
          (business_id, delivery_id, n, allocation_number, report_cancelled, not_deductible, started_at)
        select business_id, id, n, ${number}::text, ${reportCancelled}::boolean, ${notDeductible}::boolean, ${now}
        from sending returning n)`,
    )
    .selectFrom('eligible')
    .leftJoin('sending', (join) => join.onTrue())
    .select(sendingColumns)
    .select(['sending.n', 'eligible.is_pending'])
    .executeTakeFirst();
  if (!begun) {
    return undefined;
  }
  const { n, is_pending, ...message } = begun;
  if (n === null) {
    return 'day_full';
  }
  const isPending = number === null && is_pending;
  return {
    row: message as DeliveryRow,
    n,
    revision,
    allocation: { number, isPending, reportCancelled, notDeductible },
  };
}

/** The message where its attempt may begin, locked, with the number of the attempt. */
function eligibleMessage(
  db: Database<DeliveryTables>,
  row: DeliveryRow,
  revision: number,
): RawBuilder<{ business_id: string; id: string; is_pending: boolean; next: number }> {
  const { business_id, document_id, id } = row;
  return sql`(
    select delivery.business_id, delivery.id,
      document.revision is not null and document.allocation_pending as is_pending,
      (select coalesce(max(n), 0) + 1 from attempt where business_id = ${business_id} and delivery_id = ${id}) as next
    from document join delivery using (business_id, document_id)
    where document.business_id = ${business_id} and document.document_id = ${document_id} and delivery.id = ${id}
      and delivery.state = 'ready' and delivery.claimed_until = ${row.claimed_until}
      and (document.cancelled_at is null or delivery.reminder is not null)
      and coalesce(document.revision, 0) <= ${revision}
      and not exists (${suppressionOf(db, row)})
    for update of document, delivery skip locked)`;
}

const messageColumns = deliveryColumns.map((column) => `delivery.${column}` as const);
const sendingColumns = deliveryColumns.map((column) => `sending.${column}` as const);

/** The same once the locks that others have are released. What it cannot begin is withdrawn, or due again. */
export async function beginAttemptLocked(
  trx: Transaction<DeliveryTables>,
  row: DeliveryRow,
  parts: AttemptParts,
  withdrawnAt: Date,
): Promise<Attempt | 'day_full' | undefined> {
  const { cancelled } = await lockDocument(trx, row);
  if (cancelled && row.reminder === null) {
    await withdrawUnsent(trx, row, withdrawnAt);
    return undefined;
  }
  const begun = await beginAttempt(trx, row, parts);
  if (begun === undefined) {
    await releaseClaim(trx, row);
  }
  return begun;
}

/** Records the outcome of an attempt whose message another process has by now. */
export async function endAttempt(
  trx: Transaction<DeliveryTables>,
  { business_id, id }: MessageKey,
  n: number,
  outcome: SendOutcome,
  now: Date,
): Promise<void> {
  await sql`update attempt set ${ended(outcome, now)}
    where business_id = ${business_id} and delivery_id = ${id} and n = ${n} and ${canEnd(outcome)}`.execute(
    trx,
  );
}

/** The columns that the end of an attempt sets. */
function ended(outcome: SendOutcome, now: Date): RawBuilder<unknown> {
  const accepted = outcome.kind === 'accepted';
  const text = (accepted ? outcome.response : outcome.reason) ?? null;
  const providerId = (accepted ? outcome.providerId : undefined) ?? null;
  return sql`outcome = ${outcome.kind}, ended_at = ${now}, provider_response = ${text}, provider_id = ${providerId},
    failure = ${(accepted ? undefined : outcome.failure) ?? null}, server = ${outcome.server ?? null},
    was_unknown = was_unknown or ${outcome.kind === 'unknown'}::boolean`;
}

/** Whether an attempt can have an outcome: an unknown one may turn out to be an accepted one. */
const canEnd = ({ kind }: SendOutcome): RawBuilder<boolean> =>
  sql`(outcome is null or (${kind === 'accepted'}::boolean and outcome = 'unknown'))`;

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

/** What must not have changed since an attempt began, for its outcome to be stored without a look at anything else. */
export interface Undisturbed {
  readonly claimedUntil: Date | null;
  /** Of the PDF that it brought: no later one may be final. */
  readonly revision: number;
}

/**
 * Ends an attempt, stores what it changes of its message, releases the claim and publishes the events, in one statement.
 * @param n the number of the attempt; null: the open one, where there is one.
 * @param undisturbed the statement stores nothing unless this holds, and no other transaction has the document or the message; null:
 * its own transaction has both.
 * @returns whether it was stored.
 */
export async function storeOutcome(
  trx: OutboxTransaction<DeliveryTables>,
  { business_id, document_id, id }: MessageKey & DocumentKey,
  n: number | null,
  outcome: SendOutcome,
  { transition, events, now }: { transition: SendTransition; events: readonly OutboxEvent[]; now: Date },
  undisturbed: Undisturbed | null,
): Promise<boolean> {
  const { state } = transition;
  const at = (then: SendTransition['state']) => (state === then ? now : null);
  const { rows } = await sql`
    with locked as (
      select delivery.business_id, delivery.id
      from document join delivery using (business_id, document_id)
      where document.business_id = ${business_id} and document.document_id = ${document_id} and delivery.id = ${id}
        and (${undisturbed === null}::boolean or (delivery.state = 'sending'
          and delivery.claimed_until = ${undisturbed?.claimedUntil ?? null}::timestamptz
          and coalesce(document.revision, 0) <= ${undisturbed?.revision ?? null}::integer))
      for update of document, delivery skip locked
    ), ended as (
      update attempt set ${ended(outcome, now)} from locked
      where attempt.business_id = locked.business_id and delivery_id = locked.id
        and (${n}::integer is null or n = ${n}::integer)
        and ${canEnd(outcome)}
    ), changed as (
      update delivery
      set state = ${state}, attempts = ${transition.attempts}, unknown_outcomes = ${transition.unknownOutcomes},
        first_attempt_at = ${transition.firstAttemptAt},
        next_attempt_at = coalesce(${transition.nextAttemptAt}::timestamptz, next_attempt_at),
        claimed_until = null, last_error = ${transition.lastError}, sent_at = ${at('sent')}, failed_at = ${at('failed')},
        withdrawn_at = ${at('withdrawn')}, withdrawn_reason = ${state === 'withdrawn' ? cancelledReason : null}
      from locked
      where delivery.business_id = locked.business_id and delivery.id = locked.id
      returning delivery.id
    ), published as (
      insert into outbox (id, subject, body, request_id, trace)
      select event.id, subject, body, request_id, trace from ${outboxRows(trx, events)}, changed
    )
    select id from changed`.execute(trx);
  return rows.length > 0;
}
