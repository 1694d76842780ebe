import type { listDocuments, RequestOf, ReviewNote } from '@pinkas/contracts';
import { type DocumentType, documentTypes } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { type Expression, type SqlBool, sql } from 'kysely';
import { type DocumentRow, type HeadRow, headColumns } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { isDated, joined, type Span, seriesSpans } from '../document/series-spans.js';
import { readNoted } from '../document/settlement.repository.js';

/** Which documents of a business are listed, and from which position. */
export type ListFilter = Omit<RequestOf<typeof listDocuments>, 'limit' | 'settlement'>;

/** A listed document. */
export type ListedRow = HeadRow & Pick<DocumentRow, 'position' | 'allocation' | 'delivery'>;

/**
 * The documents of a business, the one that was committed last first (docs/adr/0030-lists-in-the-order-of-commits.md). The indexes
 * have the order of the list, so hardly more rows than those of the page are read, however large the book
 * (docs/adr/0027-lists-read-one-page.md).
 */
export async function listIssued(
  db: Database<IssuingTables>,
  filter: ListFilter,
  limit: number,
): Promise<ListedRow[]> {
  const { type, from, to, external_ref, number, customer_ids, based_on, status, note } = filter;
  if (note !== undefined) {
    return listNoted(db, filter, note, limit);
  }
  if (number !== undefined) {
    return listNumbered(db, filter, limit);
  }
  if (based_on !== undefined) {
    return merged(db, [checkedOneByOne(db, filter)], limit);
  }
  // Few documents share a reference: the other filters are checked one by one.
  if (external_ref !== undefined) {
    const conditions = [...conditionsOf(filter), ...isWithinDates(filter), ...isBefore(filter)];
    return page(db, filter, conditions, limit).execute();
  }
  if (customer_ids !== undefined) {
    return listOfCustomers(db, filter, customer_ids, limit);
  }
  if (from !== undefined || to !== undefined) {
    return listDated(db, filter, limit);
  }
  if (status !== undefined) {
    return listWithStatus(db, filter, limit);
  }
  const conditions = [...(type === undefined ? [] : [isOfType(type)]), ...isBefore(filter)];
  return page(db, filter, conditions, limit).execute();
}

/**
 * The documents of a number: at most one of each type. They are read by the key of the numbers, whatever the planner knows: behind the
 * offset it sees neither the order of the list nor the type.
 */
async function listNumbered(
  db: Database<IssuingTables>,
  { type, ...filter }: ListFilter,
  limit: number,
): Promise<ListedRow[]> {
  const numbered = headsOf(db, filter, [
    sql<SqlBool>`document.type = any(${documentTypes}::text[])`,
    ...conditionsOf(filter),
    ...isWithinDates(filter),
    ...isBefore(filter),
  ]).offset(0);
  const types = type === undefined ? documentTypes : [type];
  const { rows } = await sql<ListedRow>`
    select * from (${numbered}) as document where type = any(${types}::text[])
    order by position desc limit ${limit}`.execute(db);
  return rows;
}

/** The documents with a note: few of a book, which are read by their ids, and checked one by one for the other filters. */
async function listNoted(
  db: Database<IssuingTables>,
  filter: ListFilter,
  note: ReviewNote,
  limit: number,
): Promise<ListedRow[]> {
  const noted = (await readNoted(db, filter.business_id)).get(note) ?? [];
  if (noted.length === 0) {
    return [];
  }
  const isNoted = sql<SqlBool>`document.id = any(${noted.map(({ id }) => id)}::uuid[])`;
  return merged(db, [checkedOneByOne(db, filter, [isNoted])], limit);
}

/** Few documents of a book, behind the offset: the planner sees the order of the list no more, and reads the index of what is rare. */
function checkedOneByOne(
  db: Database<IssuingTables>,
  filter: ListFilter,
  conditions: readonly Expression<SqlBool>[] = [],
) {
  return headsOf(db, filter, [
    ...conditions,
    ...conditionsOf(filter),
    ...isWithinDates(filter),
    ...isBefore(filter),
  ]).offset(0);
}

/**
 * The documents of some customers: a page of each, merged. Where there are dates, it is read between the positions of the range; the
 * other filters are checked one by one.
 */
async function listOfCustomers(
  db: Database<IssuingTables>,
  filter: ListFilter,
  customerIds: readonly string[],
  limit: number,
): Promise<ListedRow[]> {
  const { type, from, to } = filter;
  const conditions = type === undefined ? [] : [isOfType(type)];
  const ranges =
    from === undefined && to === undefined
      ? [isBefore(filter)]
      : joined(await spansUpTo(db, filter)).map((span) => [isWithin(span), isDated(filter)]);
  // Constants, not a join: the planner knows of a customer whether it has many documents.
  const pages = [...new Set(customerIds)].flatMap((id) =>
    ranges.map((range) => {
      const isOfCustomer = sql<SqlBool>`document.customer_id = ${id}`;
      return page(db, filter, [isOfCustomer, ...conditions, ...range], limit);
    }),
  );
  return merged(db, pages, limit);
}

/**
 * The documents of a range of dates. Dates never decrease within a series, but do in the book as a whole: each series is read between
 * the positions of the range, and the pages are merged (docs/adr/0027-lists-read-one-page.md).
 */
async function listDated(
  db: Database<IssuingTables>,
  filter: ListFilter,
  limit: number,
): Promise<ListedRow[]> {
  const dated = isDated(filter);
  const pages = (await spansUpTo(db, filter)).map((span) =>
    page(db, filter, [isOfType(span.type), isWithin(span), dated], limit),
  );
  return merged(db, pages, limit);
}

/** The spans of the range of dates, up to the position that the list begins with. */
async function spansUpTo(db: Database<IssuingTables>, filter: ListFilter): Promise<Span[]> {
  const newest = filter.before === null ? Number.MAX_SAFE_INTEGER : filter.before - 1;
  return (await seriesSpans(db, 'position', filter))
    .filter(({ first }) => first <= newest)
    .map((span) => ({ ...span, last: Math.min(span.last, newest) }));
}

/** The documents with a status: a page of each series, for which there is an index, merged. */
function listWithStatus(
  db: Database<IssuingTables>,
  filter: ListFilter,
  limit: number,
): Promise<ListedRow[]> {
  const types = filter.type === undefined ? documentTypes : [filter.type];
  const pages = types.map((type) => page(db, filter, [isOfType(type), ...isBefore(filter)], limit));
  return merged(db, pages, limit);
}

/** The newest documents of some pages together. */
async function merged(
  db: Database<IssuingTables>,
  pages: readonly ReturnType<typeof headsOf>[],
  limit: number,
): Promise<ListedRow[]> {
  if (pages.length === 0) {
    return [];
  }
  const { rows } = await sql<ListedRow>`
    select * from (${sql.join(pages, sql` union all `)}) as document
    order by position desc limit ${limit}`.execute(db);
  return rows;
}

const isBefore = ({ before }: ListFilter): Expression<SqlBool>[] =>
  before === null ? [] : [sql<SqlBool>`document.position < ${before}`];
/** One upper bound only: with two, an index scan may begin at the higher one. */
const isWithin = ({ first, last }: Pick<Span, 'first' | 'last'>): Expression<SqlBool> =>
  sql`document.position between ${first} and ${last}`;
const isOfType = (type: DocumentType): Expression<SqlBool> => sql`document.type = ${type}`;

/** What a document is checked for beside the filter that an index answers. */
const conditionsOf = ({
  type,
  number,
  external_ref,
  customer_ids,
  based_on,
}: ListFilter): Expression<SqlBool>[] => [
  ...(type === undefined ? [] : [isOfType(type)]),
  ...(number === undefined ? [] : [sql<SqlBool>`document.number = ${number}`]),
  ...(external_ref === undefined ? [] : [sql<SqlBool>`document.external_ref = ${external_ref}`]),
  ...(based_on === undefined ? [] : [sql<SqlBool>`document.source_id = ${based_on}`]),
  ...(customer_ids === undefined ? [] : [sql<SqlBool>`document.customer_id = any(${customer_ids}::uuid[])`]),
];
const isWithinDates = ({ from, to }: ListFilter): Expression<SqlBool>[] => [
  ...(from === undefined ? [] : [sql<SqlBool>`document.dated_on >= ${from}`]),
  ...(to === undefined ? [] : [sql<SqlBool>`document.dated_on <= ${to}`]),
];

/** The newest documents of a business that match the conditions. */
function page(
  db: Database<IssuingTables>,
  filter: ListFilter,
  conditions: Expression<SqlBool>[],
  limit: number,
) {
  return headsOf(db, filter, conditions).orderBy('document.position', 'desc').limit(limit);
}

/** The documents of a business in the listed state that match the conditions. */
function headsOf(
  db: Database<IssuingTables>,
  { business_id, status, include_cancelled }: ListFilter,
  conditions: Expression<SqlBool>[],
) {
  return (
    db
      .selectFrom('document')
      .select(headColumns)
      .select(['document.position', 'document.allocation', 'document.delivery'])
      .where('document.business_id', '=', business_id)
      .where((where) => where.and(conditions))
      .$if(status !== undefined, (query) => query.where('document.status', '=', status ?? null))
      // Not 'cancelled_at is null': without statistics the planner takes nulls for rare, and sorts the whole book.
      .$if(status === undefined && !include_cancelled, (query) =>
        query.where('document.status', '!=', 'cancelled'),
      )
  );
}
