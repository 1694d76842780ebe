import type { DecisionView } from '@pinkas/contracts';
import type { RefusalDecision } from '@pinkas/domain';
import {
  type Actor,
  type Clock,
  currentContext,
  currentTraceJson,
  type Database,
  type NextDue,
  nextDue,
  type Transaction,
} from '@pinkas/service-kit';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { AllocationFacts, AllocationTables, DecisionTable } from '../db/allocation.tables.js';

export type DecisionRow = Selectable<DecisionTable>;

/** A decision that this worker has claimed, with what is sent of its document. */
export type ClaimedDecision = DecisionRow & { facts: AllocationFacts };

/** A document by its key. */
type Key = Pick<DecisionRow, 'business_id' | 'document_id'>;

type Db = Database<AllocationTables> | Transaction<AllocationTables>;

/** Every decision about a document, the oldest first. */
export function decisionsOf(db: Db, { business_id, document_id }: Key): Promise<DecisionRow[]> {
  return db
    .selectFrom('decision')
    .selectAll()
    .where('business_id', '=', business_id)
    .where('document_id', '=', document_id)
    .orderBy('n')
    .execute();
}

/** The last decision about each of these documents of one business, by the id of the document. */
export async function lastDecisions(db: Db, rows: readonly Key[]): Promise<ReadonlyMap<string, DecisionRow>> {
  const [first] = rows;
  if (!first) {
    return new Map();
  }
  const found = await db
    .selectFrom('decision')
    .selectAll()
    .distinctOn('document_id')
    .where('business_id', '=', first.business_id)
    .where(
      'document_id',
      'in',
      rows.map((row) => row.document_id),
    )
    .orderBy('document_id')
    .orderBy('n', 'desc')
    .execute();
  return new Map(found.map((row) => [row.document_id, row]));
}

/** The last decision that the authority has taken. */
export async function takenDecision(
  db: Db,
  { business_id, document_id }: Key,
): Promise<RefusalDecision | null> {
  const row = await db
    .selectFrom('decision')
    .select('decision')
    .where('business_id', '=', business_id)
    .where('document_id', '=', document_id)
    .where('state', '=', 'taken')
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.decision ?? null;
}

/** Stores a decision of a locked document, which is due. */
export async function insertDecision(
  trx: Transaction<AllocationTables>,
  key: Key,
  made: { n: number; decision: RefusalDecision; actor: Actor; now: Date },
): Promise<void> {
  await trx
    .insertInto('decision')
    .values({
      business_id: key.business_id,
      document_id: key.document_id,
      n: made.n,
      decision: made.decision,
      state: 'pending',
      decided_at: made.now,
      actor: made.actor,
      request_id: currentContext()?.requestId ?? null,
      trace: currentTraceJson(),
      next_attempt_at: made.now,
    })
    .execute();
}

const isUnclaimed = (now: Date) =>
  sql<boolean>`(decision.claimed_until is null or decision.claimed_until < ${now})`;

/** When the next decision is due. */
export function nextDueDecision(db: Kysely<AllocationTables>, clock: Clock): Promise<NextDue> {
  return nextDue(
    db,
    clock,
    () => sql`(select min(greatest(next_attempt_at, claimed_until)) from decision where state = 'pending')`,
  );
}

/** Claims due decisions for this worker until `until`. */
export async function claimDueDecisions(
  db: Database<AllocationTables>,
  limit: number,
  now: Date,
  until: Date,
): Promise<ClaimedDecision[]> {
  return db
    .with('due', (due) =>
      due
        .selectFrom('decision')
        .select(['business_id', 'document_id', 'n'])
        .where('state', '=', 'pending')
        .where('next_attempt_at', '<=', now)
        .where(isUnclaimed(now))
        .orderBy('next_attempt_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('decision')
    .from(['due', 'allocation'])
    .set({ claimed_until: until, attempts: sql`decision.attempts + 1` })
    .whereRef('decision.business_id', '=', 'due.business_id')
    .whereRef('decision.document_id', '=', 'due.document_id')
    .whereRef('decision.n', '=', 'due.n')
    .whereRef('allocation.business_id', '=', 'decision.business_id')
    .whereRef('allocation.document_id', '=', 'decision.document_id')
    .returningAll('decision')
    .returning('allocation.facts')
    .execute();
}

/** Claims the pending decision about one document. @returns undefined while another attempt is in flight, or where there is none. */
export async function claimDecision(
  db: Database<AllocationTables>,
  { business_id, document_id }: Key,
  now: Date,
  until: Date,
): Promise<ClaimedDecision | undefined> {
  return db
    .updateTable('decision')
    .from('allocation')
    .set({ claimed_until: until, attempts: sql`decision.attempts + 1` })
    .where('decision.business_id', '=', business_id)
    .where('decision.document_id', '=', document_id)
    .where('decision.state', '=', 'pending')
    .where(isUnclaimed(now))
    .whereRef('allocation.business_id', '=', 'decision.business_id')
    .whereRef('allocation.document_id', '=', 'decision.document_id')
    .returningAll('decision')
    .returning('allocation.facts')
    .executeTakeFirst();
}

/** How an attempt to send a decision ends. */
export type DecisionEnd = Pick<DecisionRow, 'state' | 'reason' | 'next_attempt_at'> & {
  answer: string | null;
  /** Whether the attempt has certainly decided nothing at the authority. */
  isUnsent: boolean;
};

/** Stores the outcome of an attempt. @returns whether it is news: another attempt may have ended the decision. */
export async function storeDecisionAttempt(
  trx: Transaction<AllocationTables>,
  row: DecisionRow,
  end: DecisionEnd,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('decision')
    .set((set) => ({
      state: end.state,
      reason: end.reason,
      next_attempt_at: end.next_attempt_at,
      answer: end.answer ?? set.ref('answer'),
      ...(end.isUnsent && { unsent: sql<number>`unsent + 1` }),
      claimed_until: null,
      ended_at: end.state === 'pending' ? null : now,
    }))
    .where('business_id', '=', row.business_id)
    .where('document_id', '=', row.document_id)
    .where('n', '=', row.n)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** A decision as its owner reads it. */
export function toDecision(row: DecisionRow): DecisionView {
  return {
    n: row.n,
    decision: row.decision,
    state: row.state,
    decided_at: row.decided_at.toISOString(),
    actor: row.actor,
    ended_at: row.ended_at?.toISOString() ?? null,
    reason: row.reason,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  };
}
