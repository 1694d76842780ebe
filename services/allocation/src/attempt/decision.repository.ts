import type { DecisionView } from '@pinkas/contracts';
import type { RefusalDecision } from '@pinkas/domain';
import { type Actor, addJob, type Database, hasJob, type Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { AllocationTables, DecisionTable } from '../db/allocation.tables.js';

export type DecisionRow = Selectable<DecisionTable>;

/** The kind of the jobs that send decisions; the id of one is that of its document. */
export const decisionJob = 'decision';

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

/** Stores a decision of a locked document, and adds its job. */
export async function insertDecision(
  trx: Transaction<AllocationTables>,
  key: Key,
  made: { n: number; decision: RefusalDecision; actor: Actor; now: Date },
): Promise<void> {
  const { business_id, document_id } = key;
  await trx
    .insertInto('decision')
    .values({
      ...{ business_id, document_id, claimed_until: hasJob },
      n: made.n,
      decision: made.decision,
      state: 'pending',
      decided_at: made.now,
      actor: made.actor,
      next_attempt_at: made.now,
    })
    .execute();
  await addJob(trx, decisionJob, { business_id, id: document_id }, made.now);
}

/** Adds the jobs of decisions that a process of the release before has stored. */
export async function addDecisionJobs(all: Database<AllocationTables>, now: Date): Promise<void> {
  await sql`
    with due as (
      update decision set claimed_until = ${hasJob}
      where state = 'pending' and (claimed_until is null or claimed_until < ${now})
      returning *
    )
    insert into job (business_id, kind, id, since, due_at, attempts, request_id, trace)
    select business_id, ${decisionJob}, document_id::text, decided_at, next_attempt_at, attempts, request_id, trace from due
    on conflict do nothing`.execute(all);
}

/** How an attempt to send a decision ends. */
export type DecisionEnd = Pick<DecisionRow, 'state' | 'reason' | 'next_attempt_at' | 'attempts'> & {
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
      attempts: end.attempts,
      answer: end.answer ?? set.ref('answer'),
      ...(end.isUnsent && { unsent: sql<number>`unsent + 1` }),
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
