import type { listDocuments, RequestOf } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { type Expression, type SqlBool, sql } from 'kysely';
import { type DocumentRow, type HeadRow, headColumns } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';
import { isDated, seriesSpans } from './series-spans.js';

/** Which documents of a business are listed, and from which position. */
export type ListFilter = Omit<RequestOf<typeof listDocuments>, 'limit'>;

/** A listed document. */
export interface ListedRow extends HeadRow, Pick<DocumentRow, 'position' | 'allocation' | 'delivery'> {
  /** The business's channel at issue; null where the outcome of delivery is recorded, which has it. */
  pending_channel: DocumentRow['business']['auto_send']['channel'] | null;
}

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
  const { type, from, to, external_ref, before } = filter;
  // Few documents share a reference: their dates are filtered one by one.
  if (external_ref === undefined && (from !== undefined || to !== undefined)) {
    return listDated(db, filter, limit);
  }
  const conditions = [
    ...(type === undefined ? [] : [isOfType(type)]),
    ...(external_ref === undefined ? [] : [sql<SqlBool>`document.external_ref = ${external_ref}`]),
    ...(from === undefined ? [] : [sql<SqlBool>`document.dated_on >= ${from}`]),
    ...(to === undefined ? [] : [sql<SqlBool>`document.dated_on <= ${to}`]),
    ...(before === null ? [] : [sql<SqlBool>`document.position < ${before}`]),
  ];
  return page(db, filter, conditions, limit).execute();
}

/**
 * Lists a range of dates. Dates never decrease within a series, but do in the book as a whole: each series is read between the
 * positions of the range, and the pages are merged (docs/adr/0027-lists-read-one-page.md).
 */
async function listDated(
  db: Database<IssuingTables>,
  filter: ListFilter,
  limit: number,
): Promise<ListedRow[]> {
  const { before } = filter;
  const dated = isDated(filter);
  const newest = before === null ? Number.MAX_SAFE_INTEGER : before - 1;
  const pages = (await seriesSpans(db, 'position', filter))
    .filter(({ first }) => first <= newest)
    .map(({ type, first, last }) => {
      // One upper bound only: with two, an index scan may begin at the higher one.
      const isWithin = sql<SqlBool>`document.position between ${first} and ${Math.min(last, newest)}`;
      return page(db, filter, [isOfType(type), isWithin, dated], limit);
    });
  if (pages.length === 0) {
    return [];
  }
  const { rows } = await sql<ListedRow>`
    select * from (${sql.join(pages, sql` union all `)}) as document
    order by position desc limit ${limit}`.execute(db);
  return rows;
}

const isOfType = (type: DocumentType): Expression<SqlBool> => sql`document.type = ${type}`;

/** The newest documents of a business that match the conditions. */
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
      .select(['document.position', 'document.allocation', 'document.delivery'])
      .select(
        // A case: the settings are read from disk only where the channel is needed.
        sql<ListedRow['pending_channel']>`case when document.delivery is null
        then document.business #>> '{auto_send,channel}' end`.as('pending_channel'),
      )
      .where('document.business_id', '=', filter.business_id)
      .where((where) => where.and(conditions))
      // Not 'cancelled_at is null': without statistics the planner takes nulls for rare, and sorts the whole book.
      .$if(!filter.include_cancelled, (query) => query.where('document.status', '!=', 'cancelled'))
      .orderBy('document.position', 'desc')
      .limit(limit)
  );
}
