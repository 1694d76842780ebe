import { currentContext, type Database, type Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { AfterTry } from './after-try.js';
import type { AllocationFacts, AllocationTable, AllocationTables } from './allocation.tables.js';
import type { AllocationDecision } from './allocation-decision.js';

/** A document that is being asked for. */
export type AskingRow = Selectable<AllocationTable> & { facts: AllocationFacts; asked_since: Date };

/** Writes down what was decided of a document; once. */
export async function insertDecision(
  trx: Transaction<AllocationTables>,
  facts: AllocationFacts,
  decision: AllocationDecision,
  now: Date,
): Promise<void> {
  await trx
    .insertInto('allocation')
    .values({
      business_id: facts.document.business_id,
      document_id: facts.document.id,
      state: decision.ask ? 'asking' : decision.status,
      reason: decision.ask ? null : decision.reason,
      number: null,
      confirmation_number: null,
      facts: decision.ask ? JSON.stringify(facts) : null,
      answer: null,
      request_id: currentContext()?.requestId ?? null,
      asked_since: null,
      next_attempt_at: decision.ask ? now : null,
      claimed_until: null,
      decided_at: now,
      settled_at: decision.ask ? null : now,
    })
    .execute();
}

/**
 * Takes documents that are due, for this worker alone until `until`. Those that were never tried come first: a caller may
 * be waiting for them, while nobody waits for a repeated try.
 */
export async function claimDue(
  db: Database<AllocationTables>,
  limit: number,
  now: Date,
  until: Date,
): Promise<AskingRow[]> {
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
    })
    .whereRef('allocation.business_id', '=', 'due.business_id')
    .whereRef('allocation.document_id', '=', 'due.document_id')
    .returningAll('allocation')
    .execute();
  return rows as AskingRow[];
}

/** The row of a document as it is now, held until the transaction ends. */
export async function lockAllocation(
  trx: Transaction<AllocationTables>,
  row: { business_id: string; document_id: string },
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
  row: { business_id: string; document_id: string },
  after: AfterTry,
  answer: string | null,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('allocation')
    .set((set) => ({
      state: after.state,
      reason: after.reason,
      number: after.number,
      confirmation_number: after.confirmationNumber,
      answer: answer ?? set.ref('answer'),
      next_attempt_at: after.nextAttemptAt,
      claimed_until: null,
      settled_at: after.announce ? now : set.ref('settled_at'),
    }))
    .where('business_id', '=', row.business_id)
    .where('document_id', '=', row.document_id)
    .execute();
}
