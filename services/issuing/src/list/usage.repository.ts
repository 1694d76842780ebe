import type { Database } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';

/** How many documents an API key issued on a day. */
export async function countOf(
  db: Database<IssuingTables>,
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
