import type { ReviewNote } from '@pinkas/contracts';
import {
  type Agorot,
  amountOfNote,
  type DocumentType,
  documentTypeRules,
  documentTypes,
  law,
  type SettlementFacts,
  settlementOf,
  toShekels,
  undeductibleVat,
} from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DocumentRow, Reader } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';
import { toDocument } from './document-row.js';
import { provokesAllocation } from './test-mode/deciding-items.js';

/** What is based on a document, as far as it settles it. */
export interface SettlingDocuments {
  readonly credited: number;
  readonly creditedVat: number;
  readonly invoices: number;
  readonly other_customers: number;
}

export interface SettlingRow {
  /** Null where there is no credit note. */
  credited: string | null;
  credited_vat: string;
  invoices: number;
  other_customers: number;
}

/**
 * What is based on `document`, by one range of an index. An invoice that is credited in full asks for nothing. Whether two documents
 * name one customer is decided as by `isSameCustomer`.
 */
export const settlingDocuments = sql<SettlingRow>`(
  select
    sum(based.total) filter (where based.type = 'credit_note') as credited,
    coalesce(sum(based.vat) filter (where based.type = 'credit_note'), 0) as credited_vat,
    count(*) filter (where based.type in ('tax_invoice', 'tax_invoice_receipt') and coalesce((
      select sum(note.total) < based.total from document as note
      where note.business_id = based.business_id and note.source_id = based.id and note.type = 'credit_note'), true)
    ) as invoices,
    count(*) filter (where based.type in ('receipt', 'credit_note') and based.customer_id <> document.customer_id
      and (based.customer ->> 'tax_id' = document.customer ->> 'tax_id') is not true) as other_customers
  from document as based
  where based.business_id = document.business_id and based.source_id = document.id)`;

/** What is based on each of some documents, in one statement. */
export async function readSettling(
  db: Reader,
  businessId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SettlingDocuments>> {
  if (ids.length === 0) {
    return new Map();
  }
  const { rows } = await sql<SettlingRow & { id: string }>`
    /* prepare */ select document.id, settling.*
    from document cross join lateral ${settlingDocuments} as settling
    where document.business_id = ${businessId} and document.id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, toSettling(row)]));
}

/** The sums of a row as numbers. */
export const toSettling = (row: SettlingRow): SettlingDocuments => ({
  credited: Number(row.credited ?? 0),
  creditedVat: Number(row.credited_vat),
  invoices: row.invoices,
  other_customers: row.other_customers,
});

/** How far a document is settled, as its state has it. */
export function settlementState({ creditedVat: _vat, ...facts }: SettlingDocuments) {
  return facts;
}

/** The same with what it costs the buyer that the business was not connected, where it costs anything. */
export function settlementDetails(row: DocumentRow, settling: SettlingDocuments) {
  const undeductible = undeductibleVat(toDocument(row), row.business, settling.creditedVat);
  return {
    ...settlementState(settling),
    ...(undeductible > 0n && { undeductible_vat: toShekels(undeductible) }),
  };
}

/** What is counted of documents is read of the newest alone: a book may have any number of them. */
export const countedMax = 1_000;

/** The types whose documents ask for a payment. */
export const payable = documentTypes.filter((type) => documentTypeRules[type].dueDate);

/** A document that has a note. */
export interface NotedDocument {
  readonly id: string;
  readonly amount: Agorot | null;
}

/** The documents of a book with each note about their settlement: about the newest `countedMax` of each kind, however many there are. */
export async function readNoted(
  db: Database<IssuingTables>,
  businessId: string,
): Promise<ReadonlyMap<ReviewNote, readonly NotedDocument[]>> {
  const noted = new Map<ReviewNote, NotedDocument[]>();
  const add = (note: ReviewNote, document: NotedDocument) => {
    const documents = noted.get(note) ?? [];
    noted.set(note, documents);
    documents.push(document);
  };
  for (const { id, document, facts } of await readCandidates(db, businessId)) {
    for (const note of settlementOf(document, facts).notes) {
      if (note !== 'other_customer') {
        add(note, { id, amount: amountOfNote(note, document, facts) });
      }
    }
  }
  return noted;
}

/**
 * Documents that may have a note: invoices that were paid in part or beyond their total, what was credited beyond its total, and what
 * was invoiced twice.
 */
async function readCandidates(db: Database<IssuingTables>, businessId: string) {
  // The planner does not see the id: by statistics from before an import it would take the book for empty, and any index for as good.
  const book = sql`(select ${businessId}::uuid)`;
  const newest = (type: DocumentType) =>
    [sql`settlement = 'partly_paid'`, sql`settlement = 'overpaid' and paid + set_off > total`].map(
      (indexed) => sql`(
        select id from document where business_id = ${book} and type = ${type} and ${indexed}
        order by position desc limit ${countedMax})`,
    );
  const { rows } = await sql<
    SettlingRow & {
      id: string;
      type: DocumentType;
      total: string;
      status: SettlementFacts['status'];
      paid: string;
      set_off: string;
    }
  >`
    with candidate as materialized (
      ${sql.join(payable.flatMap(newest), sql` union `)}
      union
      -- A proforma that was invoiced, or cancelled, asks for nothing, and may have received more than its total.
      (select id from document
      where business_id = ${book} and type = 'proforma' and paid > total and settlement is null
      order by position desc limit ${countedMax})
      union
      (select based.source_id
      from document as based
      where based.business_id = ${book} and based.source_id is not null
        and based.type in ('tax_invoice', 'tax_invoice_receipt', 'credit_note')
      group by based.source_id
      having count(*) filter (where based.type <> 'credit_note') > 1
        or sum(based.total) filter (where based.type = 'credit_note') > (
          select total from document where business_id = ${book} and id = based.source_id)
      limit ${countedMax})
    )
    select document.id, document.type, document.total, document.status, document.paid, document.set_off, settling.*
    from candidate
    -- The planner expects more of them, and would read the complete book for a join.
    cross join lateral (select * from document where business_id = ${book} and id = candidate.id limit 1) as document
    cross join lateral ${settlingDocuments} as settling`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    document: { type: row.type, totals: { total: Number(row.total) } },
    facts: { status: row.status, paid: Number(row.paid), set_off: Number(row.set_off), ...toSettling(row) },
  }));
}

/** The VAT of `document` that no credit note has taken back. */
const vatLeft = sql`document.vat - coalesce((
  select sum(note.vat) from document as note
  where note.business_id = document.business_id and note.source_id = document.id and note.type = 'credit_note'), 0)`;

const firstNumberedDay = law.allocationDocuments.values[0]?.from ?? 'infinity';

/** In the words of its index: a large invoice of a business that is not connected, whose buyer deducts VAT. */
const largeUnconnected = sql<SqlBool>`
  document.type in ('tax_invoice', 'tax_invoice_receipt') and document.vat > 0
  and document.business ->> 'tax_authority_connected' = 'false'
  and document.subtotal - document.discount > (document.business ->> 'allocation_threshold_net')::numeric
  and document.customer ->> 'tax_id' is not null
  and (document.customer ->> 'legal_type' in ('private', 'osek_patur')) is not true`;

/**
 * Whether `document` is an invoice that has no number since its business was not connected, and is not credited in full: as
 * `undeductibleVat` of the domain decides.
 */
export const isUndeductible = sql<SqlBool>`(
  ${largeUnconnected}
  and document.business ->> 'tax_id' is not null
  and document.dated_on >= ${firstNumberedDay}::date
  and not ${provokesAllocation}
  and ${vatLeft} > 0)`;

/** In the words of its index: a large invoice without the number of its buyer. */
const largeUnidentified = sql<SqlBool>`
  document.type in ('tax_invoice', 'tax_invoice_receipt') and document.subtotal - document.discount > 5000
  and document.customer ->> 'tax_id' is null and (document.customer ->> 'legal_type' = 'private') is not true`;

/**
 * Whether `document` is an invoice without the number of its buyer that needs it, and is not credited in full: as `lacksBuyerId` of the
 * domain decides.
 */
export const lacksBuyer = sql<SqlBool>`(
  ${largeUnidentified}
  and document.total > coalesce((
    select sum(note.total) from document as note
    where note.business_id = document.business_id and note.source_id = document.id and note.type = 'credit_note'), 0))`;

const newestOf = (businessId: string, indexed: RawBuilder<SqlBool>) => sql`(
  select * from document where business_id = ${businessId} and ${indexed}
  order by position desc limit ${countedMax}) as document`;

/** How many documents there are; `at_least`: of the newest, and older ones were not read. */
export interface Counted {
  readonly documents: number;
  readonly at_least?: true;
}

const firstReportedDay = law.donationReport.values[0]?.from ?? 'infinity';

/** In the words of its index: what was not reported of an institution that was not connected. */
const unreportedUnconnected = sql<SqlBool>`
  document.donation ->> 'status' = 'not_required' and document.business ->> 'tax_authority_connected' = 'false'`;

/**
 * Whether the donation of `document` was not reported since its institution was not connected: as `decideDonation` of the domain decides
 * for one that is.
 */
export const isUnreportedDonation = sql<SqlBool>`(
  ${unreportedUnconnected}
  and document.business ->> 'legal_type' in ('amuta', 'public_institution')
  and document.business -> 'donation_approval' is not null
  and (document.dated_on <= (document.business -> 'donation_approval' ->> 'valid_until')::date) is not false
  and document.business ->> 'tax_id' is not null
  and document.dated_on >= ${firstReportedDay}::date and document.total > 0)`;

/** How many donations were not reported for want of a connection, and what they come to. */
export async function sumUnreportedDonations(
  db: Database<IssuingTables>,
  businessId: string,
): Promise<Counted & { amount: number }> {
  const { rows } = await sql<{ documents: number; amount: string; is_full: boolean }>`
    select count(*) filter (where ${isUnreportedDonation})::integer as documents,
      coalesce(sum(total) filter (where ${isUnreportedDonation}), 0) as amount, count(*) = ${countedMax} as is_full
    from ${newestOf(businessId, unreportedUnconnected)}`.execute(db);
  const { documents, amount, is_full } = rows[0] ?? { documents: 0, amount: 0, is_full: false };
  return { documents, amount: Number(amount), ...(is_full && { at_least: true }) };
}

/** How many invoices have no number since their business was not connected, and the VAT that their buyers cannot deduct. */
export async function sumUndeductible(
  db: Database<IssuingTables>,
  businessId: string,
): Promise<Counted & { amount: number }> {
  const { rows } = await sql<{ documents: number; amount: string; is_full: boolean }>`
    select count(*) filter (where counts)::integer as documents, coalesce(sum(vat_left) filter (where counts), 0) as amount,
      count(*) = ${countedMax} as is_full
    from ${newestOf(businessId, largeUnconnected)}
    cross join lateral (select ${isUndeductible} as counts, ${vatLeft} as vat_left offset 0) as found`.execute(
    db,
  );
  const { documents, amount, is_full } = rows[0] ?? { documents: 0, amount: 0, is_full: false };
  return { documents, amount: Number(amount), ...(is_full && { at_least: true }) };
}

/** How many invoices from a day on lack the number of their buyer. Dates rise with positions within each type. */
export async function countWithoutBuyerId(
  db: Database<IssuingTables>,
  businessId: string,
  from: string,
): Promise<Counted> {
  const { rows } = await sql<{ documents: number; is_full: boolean }>`
    select count(*) filter (where dated_on >= ${from} and ${lacksBuyer})::integer as documents,
      count(*) = ${countedMax} and greatest(
        min(dated_on) filter (where type = 'tax_invoice'),
        min(dated_on) filter (where type = 'tax_invoice_receipt')) >= ${from} as is_full
    from ${newestOf(businessId, largeUnidentified)}`.execute(db);
  const { documents, is_full } = rows[0] ?? { documents: 0, is_full: false };
  return { documents, ...(is_full && { at_least: true }) };
}
