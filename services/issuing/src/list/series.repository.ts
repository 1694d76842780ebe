import type { DocumentType } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';

/** The series of a business that have a document. */
export async function listSeriesOf(
  db: Database<IssuingTables>,
  businessId: string,
): Promise<{ type: DocumentType; first_number: number; next_number: number; last_date: string }[]> {
  const rows = await db
    .selectFrom('series')
    .select(['type', 'first_number', 'next_number', 'last_date'])
    .where('business_id', '=', businessId)
    .orderBy('type')
    .execute();
  return rows.flatMap((row) => (row.last_date === null ? [] : [{ ...row, last_date: row.last_date }]));
}
