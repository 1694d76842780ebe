import type { BookEntry, RequestOf, readBook } from '@pinkas/contracts';
import { type DocumentType, isGoodsNote } from '@pinkas/domain';
import { accountantAddress } from '@pinkas/domain/delivery';
import type { Database } from '@pinkas/service-kit';
import { type Expression, type SqlBool, sql } from 'kysely';
import { type DocumentRow } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { toDocument, toState } from '../document/document-row.js';
import { isDated, seriesSpans } from '../document/series-spans.js';
import {
  type SettlingRow,
  settlementDetails,
  settlingDocuments,
  toSettling,
} from '../document/settlement.repository.js';

/** A document with its source as the book has it, and what was issued on the basis of it. */
interface BookRow extends DocumentRow, SettlingRow {
  linked_id: string | null;
  linked_type: DocumentType | null;
  linked_number: number | null;
  linked_on: string | null;
  received: string;
  invoiced: boolean;
  hash: Buffer;
  series_position: number;
}

type BookFilter = Omit<RequestOf<typeof readBook>, 'limit'>;

/** The documents of a business in the order of their numbers. */
export async function readEntries(
  db: Database<IssuingTables>,
  filter: BookFilter,
  limit: number,
): Promise<BookEntry[]> {
  const { after, from, to, until, document_ids } = filter;
  const rows =
    document_ids !== undefined || (from === undefined && to === undefined && until === undefined)
      ? await readRows(
          db,
          filter,
          [
            ...(after === null
              ? []
              : [
                  sql<SqlBool>`(document.type, document.number, document.id) > (${after.type}, ${after.number}, ${after.id}::uuid)`,
                ]),
            ...(document_ids === undefined ? [] : [sql<SqlBool>`document.id = any(${document_ids}::uuid[])`]),
          ],
          limit,
        )
      : await readDated(db, filter, limit);
  return rows.map(toEntry);
}

/** Reads a range of dates or positions: each series between the numbers of the range, so that a page reads hardly more than it returns. */
async function readDated(db: Database<IssuingTables>, filter: BookFilter, limit: number): Promise<BookRow[]> {
  const { after, business_id, until } = filter;
  const spans = (await seriesSpans(db, 'number', filter))
    .filter(({ type }) => after === null || type >= after.type)
    .sort((a, b) => (a.type < b.type ? -1 : 1));
  const found: BookRow[] = [];
  for (const { type, first, last } of spans) {
    if (found.length === limit) {
      break;
    }
    const begun = after?.type === type ? after : null;
    const conditions: Expression<SqlBool>[] = [
      sql`document.type = ${type}`,
      // One lower bound only: with two, an index scan may begin at the lower one.
      sql`document.number between ${Math.max(first, begun?.number ?? first)} and ${last}`,
      isDated(filter),
    ];
    if (until !== undefined) {
      // Positions increase with the numbers of a series: an index has the last number, and no later document is read.
      conditions.push(sql`document.number <= (
        select ended.number from document as ended
        where ended.business_id = ${business_id} and ended.type = ${type} and ended.position <= ${until}
        order by ended.position desc limit 1)`);
    }
    if (begun) {
      conditions.push(
        sql`case when document.number = ${begun.number} then document.id > ${begun.id}::uuid else true end`,
      );
    }
    found.push(...(await readRows(db, filter, conditions, limit - found.length)));
  }
  return found;
}

/** The position of the last document, and when the one after a position was issued. */
export async function readEnd(
  db: Database<IssuingTables>,
  businessId: string,
  after: number | null,
): Promise<{ position: number; next: Date | null }> {
  const [book, next] = await Promise.all([
    db.selectFrom('book').select('last_position').where('business_id', '=', businessId).executeTakeFirst(),
    db
      .selectFrom('document')
      .select('issued_at')
      .where('business_id', '=', businessId)
      .where('position', '>', after)
      .orderBy('position')
      .limit(1)
      .executeTakeFirst(),
  ]);
  return { position: book?.last_position ?? 0, next: next?.issued_at ?? null };
}

/** Sources and what is based on a document are read by the same statement, so that an entry is consistent. */
function readRows(
  db: Database<IssuingTables>,
  { business_id: businessId }: BookFilter,
  conditions: readonly Expression<SqlBool>[],
  limit: number,
): Promise<BookRow[]> {
  return (
    db
      .selectFrom('document')
      .leftJoin('document as linked', (join) =>
        join
          .onRef('linked.business_id', '=', 'document.business_id')
          .onRef('linked.id', '=', 'document.source_id'),
      )
      .innerJoinLateral(settlingDocuments.as('settling'), (join) => join.onTrue())
      .selectAll('document')
      .selectAll('settling')
      .select([
        'linked.id as linked_id',
        'linked.type as linked_type',
        'linked.number as linked_number',
        'linked.dated_on as linked_on',
        sql<string>`(
        select coalesce(sum((payment ->> 'amount')::numeric), 0)
        from document as receipt, jsonb_array_elements(receipt.payments) as payment
        where receipt.business_id = document.business_id and receipt.source_id = document.id
          and receipt.type = 'receipt')`.as('received'),
        // Not 'exists': the planner would collect the sources of the complete book for each page.
        sql<boolean>`coalesce((
        select true
        from document as invoice
        where invoice.business_id = document.business_id and invoice.source_id = document.id
          and invoice.type in ('tax_invoice', 'tax_invoice_receipt')
        limit 1), false)`.as('invoiced'),
        sql<number>`document.number + 1 - coalesce((
        select first_number from series
        where series.business_id = document.business_id and series.type = document.type), 1)`.as(
          'series_position',
        ),
      ])
      .where('document.business_id', '=', businessId)
      .where((where) => where.and(conditions))
      // The id comes last: a duplicate number must not hide a document between two pages.
      .orderBy('document.type')
      .orderBy('document.number')
      .orderBy('document.id')
      .limit(limit)
      .execute()
  );
}

function toEntry(row: BookRow): BookEntry {
  const { linked_id, linked_type, linked_number, linked_on } = row;
  return {
    document: toDocument(row),
    state: { ...toState(row), ...settlementDetails(row, toSettling(row)) },
    allocation: row.allocation,
    delivery: row.delivery,
    artifact_sha256: row.artifact_sha256,
    hash: row.hash.toString('hex'),
    series_position: row.series_position,
    ...(row.business.delivery_notes_without_prices && isGoodsNote(row.type) && { without_prices: true }),
    ...(accountantAddress(row.business) !== null && { accountant_copy: true }),
    source:
      linked_id !== null && linked_type !== null && linked_number !== null && linked_on !== null
        ? { id: linked_id, type: linked_type, number: linked_number, date: linked_on }
        : null,
    received: Number(row.received),
    invoiced: row.invoiced,
    credited: row.credited === null ? null : Number(row.credited),
  };
}
