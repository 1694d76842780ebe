import type { ChainHead, ChainPosition } from '@pinkas/contracts';
import type { Database } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { Reader } from '../document/document.repository.js';
import type { DocumentTable, IssuingTables, SeriesTable } from '../document/document.tables.js';
import { type SettlingRow, settlingDocuments } from '../document/settlement.repository.js';
import { documentHash, type RecordedState, stateOf } from './document-hash.js';

type SeriesKey = Pick<SeriesTable, 'business_id' | 'type'>;

/** A document with what is based on it, and what the trail has recorded of its state, the oldest change first. */
export type ChainedRow = Selectable<DocumentTable> &
  SettlingRow & {
    changes: { before: RecordedState; after: RecordedState }[];
    /** Of the document that it is based on; null: it is based on none. */
    source_customer_id: string | null;
    /** Whether a document has the position before its own, or none may have, and the list reaches as far. */
    is_in_order: boolean;
    /** Of its set-offs that are not removed, with two decimals. */
    set_off_sum: string;
    /** The same of those that are tax which was withheld; of a receipt, of all that were issued with it. */
    withheld_sum: string;
  };

/** Whether the facts of a document, and the hash before it, make its hash. */
export const continues = (row: ChainedRow, previous: Buffer | null): boolean =>
  documentHash(row, row.changes[0]?.before ?? stateOf(row), previous).equals(row.hash);

/**
 * The documents of a series behind a position, in the order of the numbers, each with its changes by one statement; without how far it
 * was settled, which also other documents and set-offs change, and no hash is of.
 */
export function chainedAfter(
  db: Reader,
  { business_id, type }: SeriesKey,
  after: Pick<ChainPosition, 'number' | 'id'> | null,
  limit: number,
): Promise<ChainedRow[]> {
  return (
    db
      .selectFrom('document')
      .innerJoinLateral(settlingDocuments.as('settling'), (join) => join.onTrue())
      .selectAll('document')
      .selectAll('settling')
      .select(
        sql<ChainedRow['changes']>`coalesce((
        select json_agg(
          json_build_object('before', entry.before::jsonb - 'settlement', 'after', entry.after::jsonb - 'settlement') order by entry.n)
        from audit_entry as entry
        where entry.business_id = document.business_id and entry.subject = document.id::text
          and entry.action = 'document.state'), '[]')`.as('changes'),
      )
      .select([
        sql<string | null>`(
        select source.customer_id from document as source
        where source.business_id = document.business_id and source.id = document.source_id)`.as(
          'source_customer_id',
        ),
        sql<string>`(
        select coalesce(sum(amount), 0.00) from set_off
        where set_off.business_id = document.business_id and set_off.document_id = document.id and removed_at is null)`.as(
          'set_off_sum',
        ),
        sql<string>`(
        select coalesce(sum(amount), 0.00) from set_off
        where set_off.business_id = document.business_id and set_off.kind = 'withheld'
          and (set_off.id = document.id or set_off.document_id = document.id and removed_at is null))`.as(
          'withheld_sum',
        ),
        sql<boolean>`coalesce((
        select true from document as earlier
        where earlier.business_id = document.business_id and earlier.position = document.position - 1 limit 1
      ), document.position = 1) and document.position <= (
        select last_position from book where book.business_id = document.business_id)`.as('is_in_order'),
      ])
      .where('document.business_id', '=', business_id)
      .where('document.type', '=', type)
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

/** Where the chain of a series ends; null before its first document. */
export async function seriesHead(db: Reader, { business_id, type }: SeriesKey): Promise<ChainHead | null> {
  const row = await db
    .selectFrom('series')
    .select(['next_number', 'last_hash'])
    .where('business_id', '=', business_id)
    .where('type', '=', type)
    .where('last_hash', 'is not', null)
    .$narrowType<{ last_hash: Buffer }>()
    .executeTakeFirst();
  return row ? headOf(row) : null;
}

/** The ends of the chains of all series, in the order of business and type, from the one after `after`. */
export async function seriesHeadsAfter(
  all: Database<IssuingTables>,
  after: SeriesKey | null,
  limit: number,
): Promise<(SeriesKey & ChainHead)[]> {
  const rows = await all
    .selectFrom('series')
    .select(['business_id', 'type', 'next_number', 'last_hash'])
    .where('last_hash', 'is not', null)
    .$narrowType<{ last_hash: Buffer }>()
    .$if(after !== null, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('business_id', 'type'), '>', tuple(after?.business_id ?? '', after?.type ?? 'quote')),
      ),
    )
    .orderBy('business_id')
    .orderBy('type')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ business_id: row.business_id, type: row.type, ...headOf(row) }));
}

/** Of a series that somebody has set back to its start as well: no document then has the hash that it ends with. */
const headOf = ({ next_number, last_hash }: { next_number: number; last_hash: Buffer }): ChainHead => ({
  n: Math.max(1, next_number - 1),
  hash: last_hash.toString('hex'),
});

/** The hash of a number in a series; undefined where it is not there. */
export async function hashOfNumber(
  db: Reader,
  { business_id, type }: SeriesKey,
  number: number,
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('document')
    .select('hash')
    .where('business_id', '=', business_id)
    .where('type', '=', type)
    .where('number', '=', number)
    .executeTakeFirst();
  return row?.hash;
}

export async function firstNumberOf(
  db: Reader,
  { business_id, type }: SeriesKey,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('series')
    .select('first_number')
    .where('business_id', '=', business_id)
    .where('type', '=', type)
    .executeTakeFirst();
  return row?.first_number;
}
