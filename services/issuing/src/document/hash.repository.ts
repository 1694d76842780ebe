import type { ChainHead, ChainPosition } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import type { Database, Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { DocumentTable, IssuingTables, SeriesTable } from './document.tables.js';
import type { RecordedState } from './document-hash.js';

type SeriesKey = Pick<SeriesTable, 'business_id' | 'type'>;
type Reader = Database<IssuingTables> | Transaction<IssuingTables>;

/** A document with what the trail has recorded of its state, the oldest change first. */
export type ChainedRow = Selectable<DocumentTable> & {
  changes: { before: RecordedState; after: RecordedState }[];
};

/** The documents of a series behind a position, in the order of the numbers, each with its changes by one statement. */
export function chainedAfter(
  db: Reader,
  { business_id, type }: SeriesKey,
  after: Pick<ChainPosition, 'number' | 'id'> | null,
  limit: number,
): Promise<ChainedRow[]> {
  return (
    db
      .selectFrom('document')
      .selectAll()
      .select(
        sql<ChainedRow['changes']>`coalesce((
        select json_agg(json_build_object('before', entry.before, 'after', entry.after) order by entry.n)
        from audit_entry as entry
        where entry.business_id = document.business_id and entry.subject = document.id::text
          and entry.action = 'document.state'), '[]')`.as('changes'),
      )
      .where('business_id', '=', business_id)
      .where('type', '=', type)
      .$if(after !== null, (query) =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('number', 'id'), '>', tuple(after?.number ?? 0, after?.id ?? '')),
        ),
      )
      // The id comes last: a duplicate number must not hide a document between two pages.
      .orderBy('number')
      .orderBy('id')
      .limit(limit)
      .execute()
  );
}

/** Up to where a series is hashed. */
export async function hashedUpTo(
  db: Reader,
  { business_id, type }: SeriesKey,
): Promise<Pick<SeriesTable, 'last_hashed_number' | 'last_hash'> | undefined> {
  return db
    .selectFrom('series')
    .select(['last_hashed_number', 'last_hash'])
    .where('business_id', '=', business_id)
    .where('type', '=', type)
    .executeTakeFirst();
}

/** The series of all businesses that are not hashed up to their end. */
export function unhashedSeries(all: Database<IssuingTables>, limit: number): Promise<SeriesKey[]> {
  return all
    .selectFrom('series')
    .select(['business_id', 'type'])
    .where('next_number', '>', sql<number>`coalesce(last_hashed_number + 1, first_number)`)
    .orderBy('business_id')
    .orderBy('type')
    .limit(limit)
    .execute();
}

/** Locks a series as its issuing does. @returns the number up to which it is hashed, and that document's hash. */
export async function lockForHashing(
  trx: Transaction<IssuingTables>,
  { business_id, type }: SeriesKey,
): Promise<{ number: number; hash: Buffer | null }> {
  const { first_number, last_hashed_number, last_hash } = await trx
    .selectFrom('series')
    .select(['first_number', 'last_hashed_number', 'last_hash'])
    .where('business_id', '=', business_id)
    .where('type', '=', type)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { number: last_hashed_number ?? first_number - 1, hash: last_hash };
}

/** Stores the hashes of documents and advances their series to the last of them. */
export async function storeHashes(
  trx: Transaction<IssuingTables>,
  { business_id, type }: { business_id: string; type: DocumentType },
  hashed: readonly { id: string; hash: Buffer }[],
  last: { number: number; hash: Buffer },
): Promise<void> {
  await sql`
    update document set hash = decode(hashed.hash, 'hex')
    from unnest(${hashed.map(({ id }) => id)}::uuid[], ${hashed.map(({ hash }) => hash.toString('hex'))}::text[])
      as hashed (id, hash)
    where document.business_id = ${business_id} and document.id = hashed.id and document.hash is null`.execute(
    trx,
  );
  await trx
    .updateTable('series')
    .set({ last_hashed_number: last.number, last_hash: last.hash })
    .where('business_id', '=', business_id)
    .where('type', '=', type)
    .execute();
}

/** The ends of the chains of all series, in the order of business and type, from the one after `after`. */
export async function seriesHeadsAfter(
  all: Database<IssuingTables>,
  after: SeriesKey | null,
  limit: number,
): Promise<(SeriesKey & ChainHead)[]> {
  const rows = await all
    .selectFrom('series')
    .select(['business_id', 'type', 'last_hashed_number', 'last_hash'])
    .where('last_hash', 'is not', null)
    .$if(after !== null, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('business_id', 'type'), '>', tuple(after?.business_id ?? '', after?.type ?? 'quote')),
      ),
    )
    .orderBy('business_id')
    .orderBy('type')
    .limit(limit)
    .execute();
  return rows.map(({ business_id, type, last_hashed_number, last_hash }) => ({
    business_id,
    type,
    n: last_hashed_number ?? 0,
    hash: last_hash?.toString('hex') ?? '',
  }));
}
