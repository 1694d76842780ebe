import { type DocumentType, documentTypes } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { IssuingTables } from '../document/document.tables.js';
import { isDated, joined, type Span, seriesSpans } from '../document/series-spans.js';
import {
  conditionsOf,
  foundConditionsOf,
  hasAmounts,
  headsOf,
  isBefore,
  isFew,
  isInvoiceCheck,
  isOfType,
  isWithin,
  isWithinDates,
  type ListedRow,
  type ListFilter,
  statePartsOf,
  withoutStates,
} from './document-filter.js';
import { inOrder, listFew, listOrdered } from './document-order.repository.js';

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
  const { type, from, to, external_ref, number, customer_ids, status, order = 'issued', ascending } = filter;
  if (isInvoiceCheck(filter) && order === 'issued' && !ascending && !filter.with_balance) {
    const found = await foundConditionsOf(db, filter);
    const conditions = [...conditionsOf(filter), ...isWithinDates(filter), ...isBefore(filter)];
    return page(db, filter, [...found, ...conditions], limit).execute();
  }
  if (isFew(filter)) {
    return listFew(db, filter, limit);
  }
  if (filter.search !== undefined) {
    return listSearched(db, filter, filter.search, limit);
  }
  if (order !== 'issued' || ascending || filter.with_balance || hasAmounts(filter)) {
    return listOrdered(db, filter, limit);
  }
  if (number !== undefined) {
    return listNumbered(db, filter, limit);
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
  if (status !== undefined || filter.balance_state !== undefined || filter.settlement_states !== undefined) {
    return listWithStatus(db, filter, limit);
  }
  const conditions = [...(type === undefined ? [] : [isOfType(type)]), ...isBefore(filter)];
  return page(db, filter, conditions, limit).execute();
}

/**
 * The documents that a search finds: a page of each of its meanings, merged. A customer or an amount that very many documents have is
 * read as the list of it is, and no search reads all that it finds.
 */
async function listSearched(
  db: Database<IssuingTables>,
  { search: _search, ...filter }: ListFilter,
  { external_ref, total, customer_ids, ...rare }: NonNullable<ListFilter['search']>,
  limit: number,
): Promise<ListedRow[]> {
  const { total_from = 0, total_to = Number.POSITIVE_INFINITY } = filter;
  const isWithinAmounts = total !== undefined && total >= total_from && total <= total_to;
  const chosen = customer_ids?.filter((id) => filter.customer_ids?.includes(id) ?? true);
  const meanings: Partial<ListFilter>[] = [
    ...(Object.keys(rare).length === 0 ? [] : [{ search: rare }]),
    ...(external_ref === undefined ? [] : [{ external_ref }]),
    ...(isWithinAmounts ? [{ total_from: total, total_to: total }] : []),
    ...(chosen === undefined || chosen.length === 0 ? [] : [{ customer_ids: chosen }]),
  ];
  const found = new Map<string, ListedRow>();
  for (const meaning of meanings) {
    // A search finds cancelled documents as well.
    const one = { ...filter, include_cancelled: true, ...meaning };
    for (const row of meaning.search ? await listFew(db, one, limit) : await listIssued(db, one, limit)) {
      found.set(row.id, row);
    }
  }
  return inOrder([...found.values()], filter).slice(0, limit);
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
  const pages = (await spansUpTo(db, filter)).flatMap((span) =>
    pagesOf(db, filter, span.type, [isWithin(span), dated], limit),
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

/** The documents with a status, or a state of their balance: a page of each series, for which there is an index, merged. */
function listWithStatus(
  db: Database<IssuingTables>,
  filter: ListFilter,
  limit: number,
): Promise<ListedRow[]> {
  const types = filter.type === undefined ? documentTypes : [filter.type];
  const pages = types.flatMap((type) => pagesOf(db, filter, type, isBefore(filter), limit));
  return merged(db, pages, limit);
}

/** The newest documents of a type that match the conditions: a page of each state that is asked for. */
function pagesOf(
  db: Database<IssuingTables>,
  filter: ListFilter,
  type: DocumentType,
  conditions: readonly Expression<SqlBool>[],
  limit: number,
) {
  const ofType = { ...withoutStates(filter), type };
  return statePartsOf(filter, type).map((part) =>
    page(db, ofType, [isOfType(type), ...part, ...conditions], limit),
  );
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

/** The newest documents of a business that match the conditions. */
function page(
  db: Database<IssuingTables>,
  filter: ListFilter,
  conditions: Expression<SqlBool>[],
  limit: number,
) {
  return headsOf(db, filter, conditions).orderBy('document.position', 'desc').limit(limit);
}
