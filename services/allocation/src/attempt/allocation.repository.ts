import type { RequestKind } from '@pinkas/contracts';
import {
  type Clock,
  currentContext,
  currentTraceJson,
  type Database,
  type NextDue,
  nextDue,
  type Transaction,
} from '@pinkas/service-kit';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { AttemptOutcome } from '../authority/attempt-outcome.js';
import type {
  AllocationFacts,
  AllocationTable,
  AllocationTables,
  AttemptTable,
} from '../db/allocation.tables.js';
import type { RetryTransition } from './retry-policy.js';

export type AllocationRow = Selectable<AllocationTable>;

export type AttemptRow = Selectable<AttemptTable>;
/** How an attempt ended. */
export type AttemptEnd = Pick<AttemptRow, 'outcome' | 'number' | 'reason' | 'refusal_codes'>;

/** A document whose number is pending. */
export type PendingRow = AllocationRow & { first_attempt_at: Date };

/** A document that this worker has claimed. */
export type ClaimedRow = PendingRow & {
  /** When the business was connected last, as of the claim; null: never. */
  connected_at: Date | null;
};

/** A document by its key. */
type Key = Pick<AllocationRow, 'business_id' | 'document_id'>;

/**
 * Stores a document for which the authority is to be asked, once: the same document under another message's id changes nothing.
 * @returns whether it is new.
 */
export async function insertAllocation(
  trx: Transaction<AllocationTables>,
  kind: RequestKind,
  facts: AllocationFacts,
  now: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('allocation')
    .values({
      kind,
      business_id: facts.document.business_id,
      document_id: facts.document.id,
      state: 'pending',
      facts: JSON.stringify(facts),
      request_id: currentContext()?.requestId ?? null,
      trace: currentTraceJson(),
      next_attempt_at: now,
      decided_at: now,
    })
    .onConflict((conflict) => conflict.columns(['business_id', 'document_id']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** The number of a document as it is printed: of a donation those of its reports, where all of them are made. */
export const printedNumber = sql<string | null>`coalesce(allocation.number, (
  select case when bool_and(report.number is not null) then string_agg(report.number, ', ' order by report.n) end
  from donation_report as report
  where allocation.kind = 'donation' and report.business_id = allocation.business_id
    and report.document_id = allocation.document_id))`;

/** An expired claim: the process that had it may have sent a request before it died. */
const outcomeMayBeUnknown = sql<boolean>`allocation.outcome_unknown or allocation.claimed_until is not null`;

/** When the business of a document was connected last. */
const connectedAt = sql<Date | null>`
  (select connected_at from connection where connection.business_id = allocation.business_id)
`;

/** When the next document is due, or its claim expires. */
export function nextDueAllocation(db: Kysely<AllocationTables>, clock: Clock): Promise<NextDue> {
  return nextDue(
    db,
    clock,
    // Each from the first entry of an index: an authority that is away for a day leaves many rows pending.
    (now) => sql`least(
      (select min(next_attempt_at) from allocation
       where state = 'pending' and (claimed_until is null or claimed_until < ${now})),
      (select min(claimed_until) from allocation where state = 'pending' and claimed_until >= ${now})
    )`,
  );
}

/**
 * Claims due documents for this worker until `until`, and records that an attempt for each begins. Documents without an attempt
 * come first: a caller may be waiting for them, and none waits for a repeated attempt.
 */
export async function claimDue(
  db: Database<AllocationTables>,
  limit: number,
  now: Date,
  until: Date,
): Promise<ClaimedRow[]> {
  const rows = await db
    .with('due', (due) =>
      due
        .selectFrom('allocation')
        .select(['business_id', 'document_id'])
        .where('state', '=', 'pending')
        .where('next_attempt_at', '<=', now)
        .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<', now)]))
        .orderBy('attempts')
        .orderBy('next_attempt_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .with('claimed', (claimed) =>
      claimed
        .updateTable('allocation')
        .from('due')
        .set({
          claimed_until: until,
          attempts: sql`allocation.attempts + 1`,
          first_attempt_at: sql`coalesce(allocation.first_attempt_at, ${now})`,
          outcome_unknown: outcomeMayBeUnknown,
        })
        .whereRef('allocation.business_id', '=', 'due.business_id')
        .whereRef('allocation.document_id', '=', 'due.document_id')
        .returningAll('allocation')
        .returning(connectedAt.as('connected_at')),
    )
    .with('begun', (begun) =>
      begun
        .insertInto('attempt')
        .columns(['business_id', 'document_id', 'n', 'started_at'])
        .expression((select) =>
          select
            .selectFrom('claimed')
            .select([
              'business_id',
              'document_id',
              'attempts',
              sql<Date>`${now}::timestamptz`.as('started_at'),
            ]),
        ),
    )
    .selectFrom('claimed')
    .selectAll()
    .execute();
  return rows as ClaimedRow[];
}

/**
 * Claims one document for an operator's attempt, which begins, also when it was refused or dead-lettered; then its retry schedule
 * restarts.
 * @returns undefined while another attempt is in flight, or where there is nothing to request.
 */
export async function claimDocument(
  trx: Transaction<AllocationTables>,
  { business_id, document_id }: Key,
  now: Date,
  until: Date,
): Promise<ClaimedRow | undefined> {
  const row = await trx
    .updateTable('allocation')
    .set({
      state: 'pending',
      claimed_until: until,
      attempts: sql`attempts + 1`,
      first_attempt_at: sql`case when state = 'pending' then coalesce(first_attempt_at, ${now}) else ${now} end`,
      earlier_attempts: sql`case when state = 'pending' then earlier_attempts else attempts end`,
      next_attempt_at: sql`coalesce(next_attempt_at, ${now})`,
      dead_lettered_at: null,
      outcome_unknown: outcomeMayBeUnknown,
    })
    .where('business_id', '=', business_id)
    .where('document_id', '=', document_id)
    .where('state', 'in', ['pending', 'refused', 'dead_lettered'])
    .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<', now)]))
    .returningAll()
    .returning(connectedAt.as('connected_at'))
    .executeTakeFirst();
  if (row) {
    await trx
      .insertInto('attempt')
      .values({ business_id, document_id, n: row.attempts, started_at: now })
      .execute();
  }
  return row as ClaimedRow | undefined;
}

/** Locks a document until the transaction ends. @returns its current row. */
export async function lockAllocation(
  trx: Transaction<AllocationTables>,
  row: Key,
): Promise<PendingRow | undefined> {
  const locked = await trx
    .selectFrom('allocation')
    .selectAll()
    .where('business_id', '=', row.business_id)
    .where('document_id', '=', row.document_id)
    .forUpdate()
    .executeTakeFirst();
  return locked as PendingRow | undefined;
}

/**
 * Stores the outcome of an attempt; `settled_at` only where an outcome is published.
 * @param keepsRefusal whether the outcome repeats a refusal that is stored.
 */
export async function storeAttempt(
  trx: Transaction<AllocationTables>,
  row: Key & Pick<AllocationRow, 'kind'>,
  transition: RetryTransition,
  outcome: AttemptOutcome,
  now: Date,
  { keepsRefusal }: { keepsRefusal: boolean },
): Promise<void> {
  const failed = outcome.kind === 'failed' ? outcome : undefined;
  await trx
    .updateTable('allocation')
    .set((set) => ({
      state: transition.state,
      reason: transition.reason,
      // Of a donation, its reports have the numbers.
      number: row.kind === 'number' ? transition.number : null,
      confirmation_number: transition.confirmationNumber,
      answer: outcome.answer ?? set.ref('answer'),
      next_attempt_at: transition.nextAttemptAt,
      claimed_until: null,
      settled_at: transition.outcome ? now : set.ref('settled_at'),
      outcome_unknown: transition.isUnknown,
      // What certainly brought nothing is composed again, with what was corrected since.
      ...(outcome.kind !== 'granted' && !transition.isUnknown && { request: null }),
      ...(transition.restarts && { first_attempt_at: null, earlier_attempts: set.ref('attempts') }),
      awaiting_operator: failed?.awaitsOperator === true,
      is_final: failed?.isFinal === true || (outcome.kind === 'refused' && outcome.isNotRequired === true),
      awaiting_connection: failed?.awaitsConnection === true,
      dead_lettered_at: transition.state === 'dead_lettered' ? now : null,
      ...(outcome.kind === 'refused' && !keepsRefusal
        ? {
            refused_at: now,
            refusal_codes: [...outcome.codes],
            refusal_message: outcome.message,
            refusal_answer: outcome.answer,
          }
        : {}),
    }))
    .where('business_id', '=', row.business_id)
    .where('document_id', '=', row.document_id)
    .execute();
}

/**
 * Stores a request before it is sent, so that a repetition sends the same bytes.
 * @returns it, or the one that was stored before.
 */
export async function storeRequestBody(
  db: Database<AllocationTables>,
  row: Key,
  request: string,
): Promise<string> {
  const stored = await db
    .updateTable('allocation')
    .set({ request: sql<string>`coalesce(request, ${request})` })
    .where('business_id', '=', row.business_id)
    .where('document_id', '=', row.document_id)
    .returning('request')
    .executeTakeFirstOrThrow();
  return stored.request ?? request;
}

/** Records the outcome of an attempt, also of one that changes nothing any more. */
export async function endAttempt(
  trx: Transaction<AllocationTables>,
  row: PendingRow,
  ended: AttemptEnd,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('attempt')
    .set({ ...ended, ended_at: now })
    .where('business_id', '=', row.business_id)
    .where('document_id', '=', row.document_id)
    .where('n', '=', row.attempts)
    .where('ended_at', 'is', null)
    .execute();
}

/** The attempts of a document after the first `after`, the oldest first. */
export function attemptsOf(
  db: Database<AllocationTables>,
  { business_id, document_id }: Key,
  after: number,
  limit: number,
): Promise<AttemptRow[]> {
  return db
    .selectFrom('attempt')
    .selectAll()
    .where('business_id', '=', business_id)
    .where('document_id', '=', document_id)
    .where('n', '>', after)
    .orderBy('n')
    .limit(limit)
    .execute();
}

/** The row of a document of any tenant: an operator names the document alone. */
export async function findByDocument(
  db: Database<AllocationTables> | Transaction<AllocationTables>,
  documentId: string,
): Promise<AllocationRow | undefined> {
  return db
    .selectFrom('allocation')
    .selectAll()
    .select(printedNumber.as('number'))
    .where('document_id', '=', documentId)
    .executeTakeFirst();
}

/** The document of any tenant that has a confirmation number. */
export async function findByNumber(
  db: Database<AllocationTables> | Transaction<AllocationTables>,
  confirmationNumber: string,
): Promise<Key | undefined> {
  return db
    .selectFrom('allocation')
    .select(['business_id', 'document_id'])
    .where('confirmation_number', '=', confirmationNumber)
    .executeTakeFirst();
}

/** The columns of a row that an audit reads. */
type AuditedRow = Pick<
  AllocationRow,
  'document_id' | 'kind' | 'state' | 'number' | 'next_attempt_at' | 'settled_at' | 'cancel_requested_at'
>;

/** The rows of these documents of one business, in no order. */
export async function findByDocuments(
  db: Database<AllocationTables>,
  businessId: string,
  documentIds: readonly string[],
): Promise<AuditedRow[]> {
  if (documentIds.length === 0) {
    return [];
  }
  return db
    .selectFrom('allocation')
    .select(['document_id', 'kind', 'state', 'next_attempt_at', 'settled_at', 'cancel_requested_at'])
    .select(printedNumber.as('number'))
    .where('business_id', '=', businessId)
    .where('document_id', 'in', documentIds)
    .execute();
}
