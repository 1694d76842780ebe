import type { DocumentType, IssuePosition, listDocuments, RequestOf } from '@pinkas/contracts';
import type { Database } from '@pinkas/service-kit';
import { type Expression, type SqlBool, sql } from 'kysely';
import { type DocumentRow, type HeadRow, headColumns } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';

/** Which documents of a business a list tells of, and from where on. */
export type ListFilter = Omit<RequestOf<typeof listDocuments>, 'limit'>;

/** One document of a list. */
export interface ListedRow extends HeadRow, Pick<DocumentRow, 'allocation' | 'delivery'> {
  /** The business's channel at the issue; null where it is not needed, since delivery has said what it plans. */
  pending_channel: DocumentRow['business']['auto_send']['channel'] | null;
}

/**
 * The documents of a business in the order of issue, the last one first.
 *
 * However large the book, the rows of a page are read and hardly another, but for those that are cancelled and hidden: the
 * indexes bear the order of the list, so that reading begins at the position and ends with the page.
 */
export async function listIssued(
  db: Database<IssuingTables>,
  filter: ListFilter,
  limit: number,
): Promise<ListedRow[]> {
  const { type, from, to, external_ref, before } = filter;
  // Documents that share a caller's reference are few: their dates are looked at one by one.
  if (external_ref === undefined && (from !== undefined || to !== undefined)) {
    return listDated(db, filter, limit);
  }
  const conditions = [
    ...(type === undefined ? [] : [isOfType(type)]),
    ...(external_ref === undefined ? [] : [sql<SqlBool>`document.external_ref = ${external_ref}`]),
    ...(from === undefined ? [] : [sql<SqlBool>`document.dated_on >= ${from}`]),
    ...(to === undefined ? [] : [sql<SqlBool>`document.dated_on <= ${to}`]),
    ...(before === null ? [] : [isBefore(before)]),
  ];
  return page(db, filter, conditions, limit).execute();
}

/**
 * Lists a range of dates. In a book as a whole, dates are in no order of issue, since a document may be dated back; within
 * one series they never fall. So each series is read by itself, between the instants at which its documents of the range
 * were issued, and the last ones of all series make the page.
 */
async function listDated(
  db: Database<IssuingTables>,
  filter: ListFilter,
  limit: number,
): Promise<ListedRow[]> {
  const { from, to, before } = filter;
  // The bounds say as much. Put as a case, the planner does not multiply the two for how few rows there will be, and so
  // does not read and sort a whole range for one page.
  const isDated = sql<SqlBool>`case when document.dated_on between ${from ?? '-infinity'} and ${to ?? 'infinity'}
    then true else false end`;
  const position = before && new Date(before.issued_at);
  // One upper bound alone: with two, an index may be read from the higher one.
  const until = (last: Date | null): Expression<SqlBool>[] => {
    if (before && position && (last === null || position <= last)) return [isBefore(before)];
    return last === null ? [] : [sql`document.issued_at <= ${last}`];
  };
  const pages = (await spansOf(db, filter))
    .filter(({ first }) => first === null || position === null || first <= position)
    .map(({ type, first, last }) => {
      const since = first === null ? [] : [sql<SqlBool>`document.issued_at >= ${first}`];
      return page(db, filter, [isOfType(type), ...since, ...until(last), isDated], limit);
    });
  if (pages.length === 0) return [];
  const { rows } = await sql<ListedRow>`
    select * from (${sql.join(pages, sql` union all `)}) as document
    order by issued_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

/** Between which instants the documents of a series were issued that bear a range of dates; null where it is open. */
interface Span {
  type: DocumentType;
  first: Date | null;
  last: Date | null;
}

/** The spans of the series that have a document in the range. */
async function spansOf(db: Database<IssuingTables>, filter: ListFilter): Promise<Span[]> {
  const { business_id, type, from, to } = filter;
  const spans = await db
    .selectFrom('series')
    .select((query) => {
      const dated = query
        .selectFrom('document')
        .select('document.issued_at')
        .where('document.business_id', '=', business_id)
        .whereRef('document.type', '=', 'series.type')
        .limit(1);
      return [
        'series.type',
        dated
          .where('document.dated_on', '>=', from ?? '-infinity')
          .orderBy('document.dated_on')
          .orderBy('document.issued_at')
          .as('first'),
        dated
          .where('document.dated_on', '<=', to ?? 'infinity')
          .orderBy('document.dated_on', 'desc')
          .orderBy('document.issued_at', 'desc')
          .as('last'),
      ];
    })
    .where('series.business_id', '=', business_id)
    .$if(type !== undefined, (query) => query.where('series.type', '=', type ?? null))
    .execute();
  return spans
    .filter((span) => span.first !== null && span.last !== null && span.first <= span.last)
    .map((span) => ({
      type: span.type,
      first: from === undefined ? null : span.first,
      last: to === undefined ? null : span.last,
    }));
}

const isOfType = (type: DocumentType): Expression<SqlBool> => sql`document.type = ${type}`;

const isBefore = (position: IssuePosition): Expression<SqlBool> =>
  sql`(document.issued_at, document.id) < (${position.issued_at}, ${position.id})`;

/** The last documents of a business that fulfil conditions. */
function page(
  db: Database<IssuingTables>,
  filter: ListFilter,
  conditions: Expression<SqlBool>[],
  limit: number,
) {
  return (
    db
      .selectFrom('document')
      .select(headColumns)
      .select(['document.allocation', 'document.delivery'])
      .select(
        // Of the settings only this one word is needed, and seldom: the rest is not read from the disk.
        sql<ListedRow['pending_channel']>`case when document.delivery is null
        then document.business #>> '{auto_send,channel}' end`.as('pending_channel'),
      )
      .where('document.business_id', '=', filter.business_id)
      .where((where) => where.and(conditions))
      // Not 'cancelled_at is null': without statistics the server takes a null for rare, and sorts the whole book.
      .$if(!filter.include_cancelled, (query) => query.where('document.status', '!=', 'cancelled'))
      .orderBy('document.issued_at', 'desc')
      .orderBy('document.id', 'desc')
      .limit(limit)
  );
}
