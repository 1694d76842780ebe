import { currentContext, currentTraceJson, type Database, type Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { TryOutcome } from '../authority/tax-authority.js';
import type { AfterTry } from './after-try.js';
import type { AllocationFacts, AllocationTable, AllocationTables } from './allocation.tables.js';
import type { AllocationDecision } from './allocation-decision.js';

export type AllocationRow = Selectable<AllocationTable>;

/** A document that is being asked for. */
export type AskingRow = AllocationRow & { facts: AllocationFacts; asked_since: Date };

/** A document that this worker alone asks for. */
export type ClaimedRow = AskingRow & {
  /** When the business was connected last, as the claim found it; null: never. */
  connected_at: Date | null;
};

/** Whose row it is. */
type Key = Pick<AllocationRow, 'business_id' | 'document_id'>;

/** Writes down what was decided of a document; once. @returns whether it is news. */
export async function insertDecision(
  trx: Transaction<AllocationTables>,
  facts: AllocationFacts,
  decision: AllocationDecision,
  now: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('allocation')
    .values({
      business_id: facts.document.business_id,
      document_id: facts.document.id,
      state: decision.ask ? 'asking' : decision.status,
      reason: decision.ask ? null : decision.reason,
      facts: decision.ask ? JSON.stringify(facts) : null,
      request_id: currentContext()?.requestId ?? null,
      trace: currentTraceJson(),
      next_attempt_at: decision.ask ? now : null,
      decided_at: now,
      settled_at: decision.ask ? null : now,
    })
    .onConflict((conflict) => conflict.columns(['business_id', 'document_id']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** A claim that nobody gave back: who had it may have asked, and died. */
const lapsed = sql<boolean>`allocation.unclear or allocation.claimed_until is not null`;

/** When the business of a document was connected last. */
const connectedAt = sql<Date | null>`
  (select connected_at from connection where connection.business_id = allocation.business_id)
`;

/**
 * Takes documents that are due, for this worker alone until `until`. Those that were never tried come first: a caller may
 * be waiting for them, while nobody waits for a repeated try.
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
        .where('state', '=', 'asking')
        .where('next_attempt_at', '<=', now)
        .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<', now)]))
        .orderBy('attempts')
        .orderBy('next_attempt_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('allocation')
    .from('due')
    .set({
      claimed_until: until,
      attempts: sql`allocation.attempts + 1`,
      asked_since: sql`coalesce(allocation.asked_since, ${now})`,
      unclear: lapsed,
    })
    .whereRef('allocation.business_id', '=', 'due.business_id')
    .whereRef('allocation.document_id', '=', 'due.document_id')
    .returningAll('allocation')
    .returning(connectedAt.as('connected_at'))
    .execute();
  return rows as ClaimedRow[];
}

/**
 * Takes one document for a try at an operator's word, whether it is due or was refused or given up; then its day of tries
 * and its pauses begin anew.
 * @returns undefined while somebody else is asking for it, or where there is nothing to ask for.
 */
export async function claimNow(
  db: Database<AllocationTables>,
  { business_id, document_id }: Key,
  now: Date,
  until: Date,
): Promise<ClaimedRow | undefined> {
  const row = await db
    .updateTable('allocation')
    .set({
      state: 'asking',
      claimed_until: until,
      attempts: sql`attempts + 1`,
      asked_since: sql`case when state = 'asking' then coalesce(asked_since, ${now}) else ${now} end`,
      earlier_attempts: sql`case when state = 'asking' then earlier_attempts else attempts end`,
      next_attempt_at: sql`coalesce(next_attempt_at, ${now})`,
      given_up_at: null,
      unclear: lapsed,
    })
    .where('business_id', '=', business_id)
    .where('document_id', '=', document_id)
    .where('state', 'in', ['asking', 'refused', 'given_up'])
    .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<', now)]))
    .returningAll()
    .returning(connectedAt.as('connected_at'))
    .executeTakeFirst();
  return row as ClaimedRow | undefined;
}

/** The documents of a business that waited for its connection are due, also those that were given up for the want of one. */
export async function resumeWaiting(
  trx: Transaction<AllocationTables>,
  businessId: string,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('allocation')
    .set({
      state: 'asking',
      next_attempt_at: now,
      asked_since: now,
      earlier_attempts: sql`attempts`,
      given_up_at: null,
      waits_for_connection: false,
    })
    .where('business_id', '=', businessId)
    .where('waits_for_connection', '=', true)
    .where('state', 'in', ['asking', 'given_up'])
    .execute();
}

/** The row of a document as it is now, held until the transaction ends. */
export async function lockAllocation(
  trx: Transaction<AllocationTables>,
  row: Key,
): Promise<AskingRow | undefined> {
  const locked = await trx
    .selectFrom('allocation')
    .selectAll()
    .where('business_id', '=', row.business_id)
    .where('document_id', '=', row.document_id)
    .forUpdate()
    .executeTakeFirst();
  return locked as AskingRow | undefined;
}

/** Stores what a try came to; `settled_at` only where something is announced. */
export async function storeTry(
  trx: Transaction<AllocationTables>,
  row: Key,
  after: AfterTry,
  outcome: TryOutcome,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('allocation')
    .set((set) => ({
      state: after.state,
      reason: after.reason,
      number: after.number,
      confirmation_number: after.confirmationNumber,
      answer: outcome.answer ?? set.ref('answer'),
      next_attempt_at: after.nextAttemptAt,
      claimed_until: null,
      settled_at: after.announce ? now : set.ref('settled_at'),
      unclear: outcome.kind === 'failed' && outcome.unclear,
      waits_for_connection: outcome.kind === 'failed' && outcome.waitsForConnection,
      given_up_at: after.state === 'given_up' ? now : null,
      ...(outcome.kind === 'refused'
        ? {
            refused_at: now,
            refusal_codes: [...outcome.codes],
            refusal_words: outcome.words,
            refusal_answer: outcome.answer,
          }
        : {}),
    }))
    .where('business_id', '=', row.business_id)
    .where('document_id', '=', row.document_id)
    .execute();
}

/** The row of a document, whosever it is: for an operator, who names the document alone. */
export async function findByDocument(
  db: Database<AllocationTables>,
  documentId: string,
): Promise<AllocationRow | undefined> {
  return db.selectFrom('allocation').selectAll().where('document_id', '=', documentId).executeTakeFirst();
}

/** The document that a number of the authority stands on, whosever it is. */
export async function findByNumber(
  db: Database<AllocationTables>,
  confirmationNumber: string,
): Promise<Key | undefined> {
  return db
    .selectFrom('allocation')
    .select(['business_id', 'document_id'])
    .where('confirmation_number', '=', confirmationNumber)
    .executeTakeFirst();
}

/** The rows of these documents of one business, in no order. */
export async function findByDocuments(
  db: Database<AllocationTables>,
  businessId: string,
  documentIds: readonly string[],
): Promise<Pick<AllocationRow, 'document_id' | 'state' | 'number' | 'next_attempt_at'>[]> {
  if (documentIds.length === 0) return [];
  return db
    .selectFrom('allocation')
    .select(['document_id', 'state', 'number', 'next_attempt_at'])
    .where('business_id', '=', businessId)
    .where('document_id', 'in', documentIds)
    .execute();
}

/** The documents that were given up, in the order in which they were decided, from the one after `after`. */
export async function listGivenUp(
  db: Database<AllocationTables>,
  after: { decided_at: Date; document_id: string } | undefined,
  limit: number,
): Promise<AllocationRow[]> {
  let query = db
    .selectFrom('allocation')
    .selectAll()
    .where('state', '=', 'given_up')
    .orderBy('decided_at')
    .orderBy('document_id')
    .limit(limit);
  if (after) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('decided_at', 'document_id'), '>', tuple(after.decided_at, after.document_id)),
    );
  }
  return query.execute();
}

/** How many documents were given up. */
export async function countGivenUp(db: Database<AllocationTables>): Promise<number> {
  const { count } = await db
    .selectFrom('allocation')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('state', '=', 'given_up')
    .executeTakeFirstOrThrow();
  return count;
}

/** How many documents are being asked for, and how old the oldest of them is. */
export async function pendingAllocations(
  db: Database<AllocationTables>,
  now: Date,
): Promise<{ count: number; oldestSeconds: number }> {
  const { count, oldest } = await db
    .selectFrom('allocation')
    .select([sql<number>`count(*)::int`.as('count'), sql<Date | null>`min(decided_at)`.as('oldest')])
    .where('state', '=', 'asking')
    .executeTakeFirstOrThrow();
  return { count, oldestSeconds: oldest ? Math.max(0, (now.getTime() - oldest.getTime()) / 1_000) : 0 };
}
