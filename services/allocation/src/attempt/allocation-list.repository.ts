import type { RequestKind } from '@pinkas/contracts';
import { type Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { AllocationTables } from '../db/allocation.tables.js';
import { type AllocationRow, printedNumber } from './allocation.repository.js';

/** The dead-lettered documents, or one of them, in the order of their decision, after `after`. */
export async function deadLetteredAllocations(
  db: Database<AllocationTables>,
  documentId: string | undefined,
  after: { decided_at: Date; document_id: string } | undefined,
  limit: number,
): Promise<AllocationRow[]> {
  let query = db
    .selectFrom('allocation')
    .selectAll()
    .where('state', '=', 'dead_lettered')
    .orderBy('decided_at')
    .orderBy('document_id')
    .limit(limit);
  if (documentId !== undefined) {
    query = query.where('document_id', '=', documentId);
  }
  if (after) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('decided_at', 'document_id'), '>', tuple(after.decided_at, after.document_id)),
    );
  }
  return query.execute();
}

/** When a refused or dead-lettered document became so; the expression of `allocation_unresolved_idx`. */
const unresolvedAt = sql<Date>`coalesce(dead_lettered_at, refused_at)`;

/** Whether the owner has decided to go on without the number, and the authority has taken that: nothing is left to do. */
const isContinued = sql<boolean>`allocation.state = 'refused' and exists (
  select from decision where decision.business_id = allocation.business_id
    and decision.document_id = allocation.document_id and decision.decision = 'continue' and decision.state = 'taken'
    and decision.n = (select max(n) from decision as last where last.business_id = allocation.business_id
      and last.document_id = allocation.document_id))`;

/**
 * The documents of a kind that need a person, of one business or of all, the latest first, before a position: the dead-lettered, and the
 * refused unless their owner has decided to go on without the number, or their type gets none.
 */
export function unresolvedAllocations(
  db: Database<AllocationTables>,
  kind: RequestKind,
  businessId: string | undefined,
  before: { decided_at: Date; document_id: string } | undefined,
  limit: number,
): Promise<AllocationRow[]> {
  return db
    .selectFrom('allocation')
    .selectAll()
    .select(printedNumber.as('number'))
    .where('kind', '=', kind)
    .where('state', 'in', ['refused', 'dead_lettered'])
    .where(sql<boolean>`not (${isContinued}) and not (state = 'refused' and is_final)`)
    .$if(businessId !== undefined, (query) => query.where('business_id', '=', businessId ?? null))
    .$if(before !== undefined, (query) =>
      query.where(
        sql<boolean>`(${unresolvedAt}, document_id) < (${before?.decided_at ?? null}::timestamptz, ${before?.document_id ?? null}::uuid)`,
      ),
    )
    .orderBy(unresolvedAt, 'desc')
    .orderBy('document_id', 'desc')
    .limit(limit)
    .execute();
}

/** The documents of a business that require a number, the latest first, after a position. */
export function requestsOf(
  db: Database<AllocationTables>,
  businessId: string,
  after: { decided_at: Date; document_id: string } | undefined,
  limit: number,
): Promise<Pick<AllocationRow, 'document_id' | 'state' | 'number' | 'reason' | 'attempts' | 'decided_at'>[]> {
  return db
    .selectFrom('allocation')
    .select(['document_id', 'state', 'reason', 'attempts', 'decided_at'])
    .select(printedNumber.as('number'))
    .where('business_id', '=', businessId)
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('decided_at', 'document_id'),
          '<',
          tuple(after?.decided_at ?? new Date(0), after?.document_id ?? ''),
        ),
      ),
    )
    .orderBy('decided_at', 'desc')
    .orderBy('document_id', 'desc')
    .limit(limit)
    .execute();
}

/** Counts the dead-lettered documents of a kind. */
export async function countDeadLettered(db: Database<AllocationTables>, kind: RequestKind): Promise<number> {
  const { count } = await db
    .selectFrom('allocation')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('state', '=', 'dead_lettered')
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return count;
}

/** Counts the documents that wait for the operator. */
export async function countAwaitingOperator(db: Database<AllocationTables>): Promise<number> {
  const { count } = await db
    .selectFrom('allocation')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('awaiting_operator', '=', true)
    .executeTakeFirstOrThrow();
  return count;
}

/** Counts the pending documents of a kind, with the age of the oldest. */
export async function pendingAllocations(
  db: Database<AllocationTables>,
  kind: RequestKind,
  now: Date,
): Promise<{ count: number; oldestSeconds: number }> {
  const { count, oldest } = await db
    .selectFrom('allocation')
    .select([sql<number>`count(*)::int`.as('count'), sql<Date | null>`min(decided_at)`.as('oldest')])
    .where('state', '=', 'pending')
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return { count, oldestSeconds: oldest ? Math.max(0, (now.getTime() - oldest.getTime()) / 1_000) : 0 };
}
