import type { DocumentOrder } from '@pinkas/contracts';
import { type DocumentType, documentTypeRules, documentTypes } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { IssuingTables } from '../document/document.tables.js';
import {
  conditionsOf,
  documentsOf,
  foundConditionsOf,
  headsOf,
  isOfType,
  isWithinAmounts,
  isWithinDates,
  type ListedRow,
  type ListFilter,
  rowColumns,
  statePartsOf,
  withoutStates,
} from './document-filter.js';

/** What each order sorts by; documents of one value are in the order of commits. */
const keys = {
  issued: null,
  date: { of: sql`document.dated_on`, ofLast: sql`ended.dated_on` },
  total: { of: sql`document.total_agorot`, ofLast: sql`ended.total_agorot` },
  balance: { of: sql`document.balance`, ofLast: sql`ended.balance` },
} as const satisfies Record<DocumentOrder, object | null>;

/** The order of a list as SQL, for the columns of `document`. */
function orderOf({ order = 'issued', ascending = false }: ListFilter): RawBuilder<unknown> {
  const direction = ascending ? sql`asc` : sql`desc`;
  const key = keys[order];
  return key === null
    ? sql`document.position ${direction}`
    : sql`${key.of} ${direction}, document.position ${direction}`;
}

/** Some documents in the order of a list, as `orderOf` has it. */
export function inOrder(
  rows: readonly ListedRow[],
  { order = 'issued', ascending = false }: ListFilter,
): ListedRow[] {
  const key = (row: ListedRow): string | number => {
    switch (order) {
      case 'date':
        return row.dated_on;
      case 'total':
        return row.total_agorot;
      case 'balance':
        return Number(row.balance);
      default:
        return row.position;
    }
  };
  const compare = <T>(left: T, right: T) => Number(left > right) - Number(left < right);
  const ascended = [...rows].sort(
    (left, right) => compare(key(left), key(right)) || compare(left.position, right.position),
  );
  return ascending ? ascended : ascended.reverse();
}

/** Whether a document comes behind the one where the page before ended. */
function comesAfter(filter: ListFilter): Expression<SqlBool>[] {
  const { business_id, before, order = 'issued', ascending = false } = filter;
  if (before === null) {
    return [];
  }
  const comparison = ascending ? sql`>` : sql`<`;
  const key = keys[order];
  if (key === null) {
    return [sql`document.position ${comparison} ${before}`];
  }
  // Neither date nor total of a document changes; one whose balance does has moved, and those behind it are the next.
  return [
    sql`(${key.of}, document.position) ${comparison} (
      (select ${key.ofLast} from document as ended
        where ended.business_id = ${business_id} and ended.position = ${before}), ${before}::bigint)`,
  ];
}

/** The documents of a filter that few meet: all are found by the indexes of what is rare, and sorted. */
export async function listFew(
  db: Database<IssuingTables>,
  filter: ListFilter,
  limit: number,
): Promise<ListedRow[]> {
  const conditions = [
    ...(await foundConditionsOf(db, filter)),
    ...conditionsOf({ ...filter, with_balance: hasBalances(filter) }),
    ...isWithinDates(filter),
    ...comesAfter(filter),
  ];
  const found = documentsOf(db, filter, conditions)
    .select([
      'document.id',
      'document.position',
      'document.dated_on',
      'document.total_agorot',
      'document.balance',
    ])
    // Behind the offset the planner sees no order, and reads no index for it.
    .offset(0);
  const listed = sql<{ id: string }>`(
    select id from (${found}) as document order by ${orderOf(filter)} limit ${limit}
  )`;
  return db
    .selectFrom(listed.as('listed'))
    .innerJoin('document', (join) =>
      join.onRef('document.id', '=', 'listed.id').on('document.business_id', '=', filter.business_id),
    )
    .select(rowColumns)
    .orderBy(orderOf(filter))
    .execute();
}

/**
 * The documents in an order other than that of commits: a page of each type, merged. Within a type, dates are in the order of
 * positions, so that every index of a type has them in their order.
 */
export async function listOrdered(
  db: Database<IssuingTables>,
  filter: ListFilter,
  limit: number,
): Promise<ListedRow[]> {
  const types = typesOf(filter);
  const conditions = [
    ...conditionsOf({ ...filter, with_balance: hasBalances(filter) }),
    ...isWithinDates(filter),
    ...comesAfter(filter),
  ];
  const order = orderOf(filter);
  const few =
    filter.order === 'total' ? new Map<DocumentType, boolean>() : await withFewAmounts(db, filter, types);
  const pages = types.flatMap((type) =>
    statePartsOf(filter, type).map((part) => {
      const heads = headsOf(db, { ...withoutStates(filter), type }, [isOfType(type), ...part, ...conditions]);
      return few.get(type)
        ? // Behind the offset the planner sees no order: all are found by their totals, and sorted.
          sql`(select * from (${heads.offset(0)}) as document order by ${order} limit ${limit})`
        : sql`(${heads.orderBy(order)} limit ${limit})`;
    }),
  );
  if (pages.length === 0) {
    return [];
  }
  const { rows } = await sql<ListedRow>`
    select * from (${sql.join(pages, sql` union all `)}) as document order by ${order} limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** How many documents of a type are sorted rather than read in the order of the list. */
const sortedMax = 1_000;

/**
 * Which types have few documents of the filter's amounts. The planner takes amounts for independent of the order: it would read a
 * type to its end where the documents are rare, or all of them are old.
 */
async function withFewAmounts(
  db: Database<IssuingTables>,
  { business_id, total_from, total_to }: ListFilter,
  types: readonly DocumentType[],
): Promise<Map<DocumentType, boolean>> {
  if (total_from === undefined && total_to === undefined) {
    return new Map();
  }
  const amounts = isWithinAmounts({ total_from, total_to });
  const counts = types.map((type) => {
    const found = db
      .selectFrom('document')
      .select('type')
      .where('business_id', '=', business_id)
      .where((where) => where.and([isOfType(type), ...amounts]))
      .limit(sortedMax + 1);
    return sql`select ${type}::text as type, count(*) <= ${sortedMax}::integer as is_few from (${found}) as found`;
  });
  const { rows } = await sql<{ type: DocumentType; is_few: boolean }>`
    ${sql.join(counts, sql` union all `)}`.execute(db);
  return new Map(rows.map((row) => [row.type, row.is_few]));
}

const hasBalances = ({ order, with_balance }: ListFilter): boolean =>
  order === 'balance' || with_balance === true;

/** The types that may have documents of the filter. */
function typesOf(filter: ListFilter): DocumentType[] {
  const { type } = filter;
  return documentTypes.filter(
    (known) =>
      (type === undefined || known === type) && (!hasBalances(filter) || documentTypeRules[known].dueDate),
  );
}
