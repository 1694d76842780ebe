import type { DocumentType } from '@pinkas/contracts';
import type { Database, Transaction } from '@pinkas/service-kit';
import type { Selectable } from 'kysely';
import type { IssuingTables, SeriesTable } from '../document/document.tables.js';

/**
 * Locks a series until the transaction ends: whoever holds it, and nobody else, may issue its next number. The row is
 * made where this is the first document of the series.
 */
export async function lockSeries(
  trx: Transaction<IssuingTables>,
  businessId: string,
  type: DocumentType,
  firstNumber: number,
): Promise<Selectable<SeriesTable>> {
  const lock = () =>
    trx
      .selectFrom('series')
      .selectAll()
      .where('business_id', '=', businessId)
      .where('type', '=', type)
      .forUpdate()
      .executeTakeFirst();
  const found = await lock();
  if (found) return found;
  await trx
    .insertInto('series')
    .values({
      business_id: businessId,
      type,
      next_number: firstNumber,
      last_date: null,
      last_issued_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const made = await lock();
  if (!made) throw new Error('the series row is gone');
  return made;
}

/** Moves a locked series on by the one number that was issued. */
export async function advanceSeries(
  trx: Transaction<IssuingTables>,
  series: { business_id: string; type: DocumentType; next_number: number },
  issued: { date: string; at: Date },
): Promise<void> {
  await trx
    .updateTable('series')
    .set({ next_number: series.next_number + 1, last_date: issued.date, last_issued_at: issued.at })
    .where('business_id', '=', series.business_id)
    .where('type', '=', series.type)
    .execute();
}

/** The series of a business that have a document. */
export async function listSeriesOf(
  db: Database<IssuingTables>,
  businessId: string,
): Promise<{ type: DocumentType; next_number: number; last_date: string }[]> {
  const rows = await db
    .selectFrom('series')
    .select(['type', 'next_number', 'last_date'])
    .where('business_id', '=', businessId)
    .orderBy('type')
    .execute();
  return rows.flatMap((row) => (row.last_date === null ? [] : [{ ...row, last_date: row.last_date }]));
}
