import type { DocumentType } from '@pinkas/domain';
import type { Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { DocumentRow, NewDocumentRow } from './document.repository.js';
import type { IssuingTables, SeriesTable } from './document.tables.js';

/** A locked series, with what else decides whether its next number may be used. */
export interface LockedSeries extends Selectable<SeriesTable> {
  /** The document that the idempotency key has issued, if it has. */
  issued_id: string | null;
  /** How many documents the API key has issued on the day. */
  issued_today: number;
}

/**
 * Locks a series until the transaction ends, and reads with it the document of the idempotency key and the API key's count of the
 * day. The series row is inserted where this is the first document of the series.
 *
 * The idempotency key must be locked already: its document is then final, however long the series' lock takes. The count
 * may still grow; `insertIssued` checks it again.
 */
export async function lockSeries(
  trx: Transaction<IssuingTables>,
  series: { business_id: string; type: DocumentType; first_number: number },
  request: { idempotency_key: string; key_id: string; day: string },
): Promise<LockedSeries> {
  const found = await selectForUpdate(trx, series, request);
  if (found) {
    return found;
  }
  await trx
    .insertInto('series')
    .values({
      business_id: series.business_id,
      type: series.type,
      first_number: series.first_number,
      next_number: series.first_number,
      last_date: null,
      last_issued_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const inserted = await selectForUpdate(trx, series, request);
  if (!inserted) {
    throw new Error('series row not found after its insert');
  }
  return inserted;
}

function selectForUpdate(
  trx: Transaction<IssuingTables>,
  series: { business_id: string; type: DocumentType },
  request: { idempotency_key: string; key_id: string; day: string },
): Promise<LockedSeries | undefined> {
  return trx
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
        .as('issued_today'),
    ])
    .where('series.business_id', '=', series.business_id)
    .where('series.type', '=', series.type)
    .forUpdate('series')
    .executeTakeFirst();
}

/**
 * Counts a document for the API key's day, takes the next position of the book, inserts the document and advances its series by one
 * number, in one statement. Each part reads the one before: their locks are acquired in this order.
 *
 * It must be the last statement: the book is locked until the transaction ends, and the business issues nothing else meanwhile.
 * @returns null when the count of the day is full; the transaction must be rolled back then.
 */
export async function insertIssued(
  trx: Transaction<IssuingTables>,
  document: NewDocumentRow,
  daily: { day: string; limit: number },
): Promise<DocumentRow | null> {
  const columns = Object.keys(document) as (keyof NewDocumentRow)[];
  const row = await trx
    .with('counted', (query) =>
      query
        .insertInto('daily_count')
        .values({
          business_id: document.business_id,
          key_id: document.key_id,
          counted_on: daily.day,
          documents: 1,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['business_id', 'key_id', 'counted_on'])
            .doUpdateSet({ documents: sql`daily_count.documents + 1` })
            .where('daily_count.documents', '<', daily.limit),
        )
        .returning('documents'),
    )
    .with('advanced', (query) =>
      query
        .updateTable('series')
        .set({
          next_number: document.number + 1,
          last_date: document.dated_on,
          last_issued_at: document.issued_at,
        })
        .where('business_id', '=', document.business_id)
        .where('type', '=', document.type)
        .returning('next_number'),
    )
    .with('positioned', (query) =>
      query
        .insertInto('book')
        .columns(['business_id', 'last_position'])
        .expression(({ selectFrom, val, lit }) =>
          selectFrom('counted').select([
            val(document.business_id).as('business_id'),
            lit(1).as('last_position'),
          ]),
        )
        .onConflict((conflict) =>
          conflict.column('business_id').doUpdateSet({ last_position: sql`book.last_position + 1` }),
        )
        .returning('last_position'),
    )
    .with('inserted', (query) =>
      query
        .insertInto('document')
        .columns([...columns, 'position'])
        .expression(({ selectFrom, val }) =>
          selectFrom('positioned').select([
            ...columns.map((column) => val(document[column]).as(column)),
            'positioned.last_position as position',
          ]),
        )
        .returningAll(),
    )
    .selectFrom('inserted')
    .selectAll()
    .executeTakeFirst();
  return row ?? null;
}
