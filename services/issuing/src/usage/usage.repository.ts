import type { Database, Transaction } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { IssuingTables } from '../document/document.tables.js';

/** How many documents a key issued on a day. */
export async function countOf(
  db: Database<IssuingTables> | Transaction<IssuingTables>,
  key: { business_id: string; key_id: string },
  day: string,
): Promise<number> {
  const row = await db
    .selectFrom('daily_count')
    .select('documents')
    .where('business_id', '=', key.business_id)
    .where('key_id', '=', key.key_id)
    .where('counted_on', '=', day)
    .executeTakeFirst();
  return row?.documents ?? 0;
}

/**
 * Counts one more document of a key on a day, unless the limit is reached.
 * @returns whether it was counted.
 */
export async function countOne(
  trx: Transaction<IssuingTables>,
  key: { business_id: string; key_id: string },
  day: string,
  limit: number,
): Promise<boolean> {
  if (limit < 1) return false;
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('daily_count')
    .values({ ...key, counted_on: day, documents: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['business_id', 'key_id', 'counted_on'])
        .doUpdateSet({ documents: sql`daily_count.documents + 1` })
        .where('daily_count.documents', '<', limit),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
