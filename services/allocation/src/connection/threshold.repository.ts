import type { ThresholdAnswer } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { AllocationTables } from '../db/allocation.tables.js';

/**
 * Takes the question of a day, so that one of several replicas asks.
 * @param triedBefore an attempt without an answer from before this is repeated.
 * @returns false where the day has its answer, or a more recent attempt.
 */
export async function takeThresholdQuestion(
  db: Database<AllocationTables>,
  day: string,
  now: Date,
  triedBefore: Date,
): Promise<boolean> {
  const taken = await db
    .insertInto('threshold_answer')
    .values({ day, asked_at: now, net: null })
    .onConflict((conflict) =>
      conflict
        .column('day')
        .doUpdateSet({ asked_at: now })
        .where('threshold_answer.net', 'is', null)
        .where('threshold_answer.asked_at', '<=', triedBefore),
    )
    .returning('day')
    .executeTakeFirst();
  return taken !== undefined;
}

/** Stores what the authority has named on a day. */
export async function storeThreshold(
  db: Database<AllocationTables>,
  { day, net }: ThresholdAnswer,
): Promise<void> {
  await db.updateTable('threshold_answer').set({ net }).where('day', '=', day).execute();
}

/** The latest threshold that the authority has named; null: none yet. */
export async function latestThreshold(db: Database<AllocationTables>): Promise<ThresholdAnswer | null> {
  const found = await db
    .selectFrom('threshold_answer')
    .select([sql<string>`day::text`.as('day'), 'net'])
    .where('net', 'is not', null)
    .orderBy('threshold_answer.day', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found ? { day: found.day, net: Number(found.net) } : null;
}
