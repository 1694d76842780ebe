import type { DocumentType } from '@pinkas/domain';
import { type Database, isAdvisoryLockHeld, type Transaction, tryAdvisoryLocks } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { NewDocumentRow } from './document.repository.js';
import type { DocumentTable, IssuingTables, SeriesTable } from './document.tables.js';

/** An idempotency key of a business. */
export interface IdempotencyKey {
  business_id: string;
  idempotency_key: string;
}

export const idempotencyKeyOf = (request: {
  business: { id: string };
  idempotency_key: string;
}): IdempotencyKey => ({ business_id: request.business.id, idempotency_key: request.idempotency_key });

/**
 * Marks keys as in progress on every replica, with advisory locks that end with the transaction, and limits how long each
 * later lock of the transaction may be waited for.
 * @returns `areLocked`: false for a key that another replica holds; `databaseNow`: the time on the database's clock; `timeline`: its
 * timeline.
 */
export function lockKeysWithin(
  trx: Transaction<IssuingTables>,
  keys: readonly IdempotencyKey[],
  lockWaitMs: number,
): Promise<{ areLocked: boolean[]; databaseNow: Date; timeline: string }> {
  return tryAdvisoryLocks(
    trx,
    lockWaitMs,
    keys.map((key) => [key.business_id, key.idempotency_key]),
  );
}

/**
 * Whether another replica issues with the key now. It takes a shared lock for the duration of the statement; a request that
 * begins with the key in that instant gets `request_in_progress`, which is true.
 */
export function isKeyLocked(db: Database<IssuingTables>, key: IdempotencyKey): Promise<boolean> {
  return isAdvisoryLockHeld(db, key.business_id, key.idempotency_key);
}

/** A locked series, with what else decides whether its next numbers may be used. */
export interface LockedSeries extends Selectable<SeriesTable> {
  /** The ids of the documents that the idempotency keys have issued, by key. */
  issuedIds: ReadonlyMap<string, string>;
  /** How many documents each API key has issued on the day, by its id; absent: none. */
  issuedToday: ReadonlyMap<string, number>;
}

/** What is read with a series. */
interface SeriesRequests {
  idempotency_keys: readonly string[];
  key_ids: readonly string[];
  day: string;
}

/**
 * Locks a series until the transaction ends, and reads with it the documents of the idempotency keys and the API keys' counts of
 * the day. The series row is inserted where this is the first document of the series.
 *
 * The idempotency keys must be locked already: their documents are then final, however long the series' lock takes. The counts
 * may still grow; `insertIssued` checks them again.
 */
export async function lockSeries(
  trx: Transaction<IssuingTables>,
  series: { business_id: string; type: DocumentType; first_number: number },
  requests: SeriesRequests,
): Promise<LockedSeries> {
  const found = await selectForUpdate(trx, series, requests);
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
      last_hash: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const inserted = await selectForUpdate(trx, series, requests);
  if (!inserted) {
    throw new Error('series row not found after its insert');
  }
  return inserted;
}

async function selectForUpdate(
  trx: Transaction<IssuingTables>,
  series: { business_id: string; type: DocumentType },
  { idempotency_keys, key_ids, day }: SeriesRequests,
): Promise<LockedSeries | undefined> {
  const found = await trx
    .selectFrom('series')
    .select([
      'series.business_id',
      'series.type',
      'series.first_number',
      'series.next_number',
      'series.last_date',
      'series.last_issued_at',
      'series.last_hash',
      sql<Record<string, string>>`(
        select coalesce(json_object_agg(idempotency_key, id), '{}') from document
        where business_id = series.business_id and idempotency_key = any(${idempotency_keys}::text[])
      )`.as('issued_ids'),
      sql<Record<string, number>>`(
        select coalesce(json_object_agg(key_id, documents), '{}') from daily_count
        where business_id = series.business_id and key_id = any(${key_ids}::uuid[]) and counted_on = ${day}
      )`.as('issued_today'),
    ])
    .where('series.business_id', '=', series.business_id)
    .where('series.type', '=', series.type)
    .forUpdate('series')
    .executeTakeFirst();
  if (!found) {
    return undefined;
  }
  const { issued_ids, issued_today, ...columns } = found;
  return {
    ...columns,
    issuedIds: new Map(Object.entries(issued_ids)),
    issuedToday: new Map(Object.entries(issued_today)),
  };
}

/** A document with its hash. */
export type HashedDocumentRow = NewDocumentRow & { hash: Buffer };

/**
 * Counts documents for the day of their API keys, takes the next positions of the book, inserts the documents and advances their
 * series, in one statement. Each part reads the one before: their locks are acquired in this order.
 *
 * It must be the last statement: the book is locked until the transaction ends, and the business issues nothing else meanwhile.
 * @param documents of one series, with consecutive numbers.
 * @param daily the day, and how many documents each API key may issue on it, by its id.
 * @returns their positions by id, or null when the count of a key is full; the transaction must be rolled back then.
 */
export async function insertIssued(
  trx: Transaction<IssuingTables>,
  documents: readonly [HashedDocumentRow, ...HashedDocumentRow[]],
  daily: { day: string; limits: Readonly<Record<string, number>> },
): Promise<Map<string, number> | null> {
  const columns = Object.keys(documents[0]) as (keyof HashedDocumentRow)[];
  const { business_id, type } = documents[0];
  const last = documents.at(-1) ?? documents[0];
  const rows = JSON.stringify(documents.map(withHexadecimalBytes));
  const inserted = await trx
    .with('issued', (query) =>
      query
        .selectFrom(sql<DocumentTable>`json_populate_recordset(null::document, ${rows}::json)`.as('issued'))
        .select(columns),
    )
    .with('counted', (query) =>
      query
        .insertInto('daily_count')
        .columns(['business_id', 'key_id', 'counted_on', 'documents'])
        .expression(
          query
            .selectFrom('issued')
            .select(({ fn }) => [
              'business_id',
              'key_id',
              sql<string>`${daily.day}::date`.as('counted_on'),
              fn.countAll<number>().as('documents'),
            ])
            .groupBy(['business_id', 'key_id'])
            // Transactions that count for the same keys lock them in one order.
            .orderBy('key_id'),
        )
        .onConflict((conflict) =>
          conflict
            .columns(['business_id', 'key_id', 'counted_on'])
            .doUpdateSet({ documents: sql`daily_count.documents + excluded.documents` })
            .where(
              sql<boolean>`daily_count.documents + excluded.documents
                <= (${JSON.stringify(daily.limits)}::json ->> daily_count.key_id::text)::integer`,
            ),
        )
        .returning('key_id'),
    )
    .with('positioned', (query) =>
      query
        .insertInto('book')
        .columns(['business_id', 'last_position'])
        .expression(
          query
            .selectNoFrom(({ val }) => [
              sql<string>`${business_id}::uuid`.as('business_id'),
              val(documents.length).as('last_position'),
            ])
            .where(
              ({ selectFrom, fn }) => selectFrom('counted').select(fn.countAll().as('keys')),
              '=',
              Object.keys(daily.limits).length,
            ),
        )
        .onConflict((conflict) =>
          conflict
            .column('business_id')
            .doUpdateSet({ last_position: sql`book.last_position + excluded.last_position` }),
        )
        .returning('last_position'),
    )
    .with('inserted', (query) =>
      query
        .insertInto('document')
        .columns([...columns, 'position'])
        .expression(
          query
            .selectFrom(['issued', 'positioned'])
            .select(columns.map((column) => `issued.${column}` as const))
            .select(sql<number>`last_position - ${last.number}::bigint + issued.number`.as('position')),
        )
        .returning(['id', 'position']),
    )
    .with('advanced', (query) =>
      query
        .updateTable('series')
        .from('positioned')
        .set({
          next_number: last.number + 1,
          last_date: last.dated_on,
          last_issued_at: last.issued_at,
          last_hash: last.hash,
        })
        .where('series.business_id', '=', business_id)
        .where('series.type', '=', type)
        .returning('series.next_number'),
    )
    .selectFrom('inserted')
    .select(['id', 'position'])
    .execute();
  return inserted.length === 0 ? null : new Map(inserted.map(({ id, position }) => [id, position]));
}

/** JSON has no bytes: PostgreSQL reads them from a text. */
function withHexadecimalBytes(row: HashedDocumentRow) {
  return { ...row, body_sha256: hexadecimal(row.body_sha256), hash: hexadecimal(row.hash) };
}

const hexadecimal = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
