import type { DocumentType } from '@pinkas/contracts';
import type { Database, Transaction } from '@pinkas/service-kit';
import type { Selectable } from 'kysely';
import type { IssuingTables, SeriesTable } from '../document/document.tables.js';

/** A series under lock, with what else decides whether its next number may be given. */
export interface LockedSeries extends Selectable<SeriesTable> {
  /** The document that the idempotency key has issued, if it has. */
  issued_id: string | null;
  /** How many documents the API key has issued on the day. */
  counted: number;
}

/**
 * Locks a series until the transaction ends: whoever holds it, and nobody else, may issue its next number. The row is
 * made where this is the first document of the series.
 *
 * The idempotency key must be locked already: what it has issued is then known for good, however long the series' lock is
 * waited for. The day's count may grow meanwhile; it is checked again when it is written.
 */
export async function lockSeries(
  trx: Transaction<IssuingTables>,
  series: { business_id: string; type: DocumentType; first_number: number },
  request: { idempotency_key: string; key_id: string; day: string },
): Promise<LockedSeries> {
  const lock = () =>
    trx
      .selectFrom('series')
      .selectAll('series')
      .select((query) => [
        query
          .selectFrom('document')
          .select('document.id')
          .whereRef('document.business_id', '=', 'series.business_id')
          .where('document.idempotency_key', '=', request.idempotency_key)
          .as('issued_id'),
        query.fn
          .coalesce(
            query
              .selectFrom('daily_count')
              .select('daily_count.documents')
              .whereRef('daily_count.business_id', '=', 'series.business_id')
              .where('daily_count.key_id', '=', request.key_id)
              .where('daily_count.counted_on', '=', request.day),
            query.lit(0),
          )
          .as('counted'),
      ])
      .where('series.business_id', '=', series.business_id)
      .where('series.type', '=', series.type)
      .forUpdate('series')
      .executeTakeFirst();
  const found = await lock();
  if (found) return found;
  await trx
    .insertInto('series')
    .values({
      business_id: series.business_id,
      type: series.type,
      next_number: series.first_number,
      last_date: null,
      last_issued_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const made = await lock();
  if (!made) throw new Error('the series row is gone');
  return made;
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
