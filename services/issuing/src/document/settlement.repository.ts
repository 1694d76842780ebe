import type { ReviewNote } from '@pinkas/contracts';
import {
  type Agorot,
  type AllocatedDocument,
  type AllocatingBusiness,
  amountOfNote,
  type DocumentType,
  type ItemsWithSku,
  type SettlementFacts,
  settlementOf,
  toShekels,
  undeductibleVat,
} from '@pinkas/domain';
import type { Database, Transaction } from '@pinkas/service-kit';
import { sql } from 'kysely';
import { decidingItems } from '../test-mode/deciding-items.js';
import { type DocumentRow, toDocument } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';

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
  db: Database<IssuingTables> | Transaction<IssuingTables>,
  businessId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SettlingDocuments>> {
  if (ids.length === 0) {
    return new Map();
  }
  const { rows } = await sql<SettlingRow & { id: string }>`
    select document.id, settling.*
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

/** A document that has a note. */
export interface NotedDocument {
  readonly id: string;
  readonly amount: Agorot | null;
}

/** The documents of a book with each note. Indexes have the few that may have one, however large the book. */
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
  for (const found of await readWithoutNumber(db, businessId)) {
    add('number_missing', found);
  }
  return noted;
}

/**
 * Documents that may have a note: invoices that were paid in part or beyond their total, what was credited beyond its total, and what
 * was invoiced twice.
 */
async function readCandidates(db: Database<IssuingTables>, businessId: string) {
  const { rows } = await sql<
    SettlingRow & {
      id: string;
      type: DocumentType;
      total: string;
      status: SettlementFacts['status'];
      paid: string;
    }
  >`
    with candidate as materialized (
      select id from document
      where business_id = ${businessId} and type in ('tax_invoice', 'proforma') and paid > 0 and paid <> total
      union
      select based.source_id
      from document as based
      where based.business_id = ${businessId} and based.source_id is not null
        and based.type in ('tax_invoice', 'tax_invoice_receipt', 'credit_note')
      group by based.source_id
      having count(*) filter (where based.type <> 'credit_note') > 1
        or sum(based.total) filter (where based.type = 'credit_note') > (
          select total from document where business_id = ${businessId} and id = based.source_id)
    )
    select document.id, document.type, document.total, document.status, document.paid, settling.*
    from candidate
    -- The planner expects more of them, and would read the complete book for a join.
    cross join lateral (select * from document where business_id = ${businessId} and id = candidate.id limit 1) as document
    cross join lateral ${settlingDocuments} as settling`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    document: { type: row.type, totals: { total: Number(row.total) } },
    facts: { status: row.status, paid: Number(row.paid), ...toSettling(row) },
  }));
}

/** The invoices that have no number since their business was not connected, without those that are credited in full. */
export async function readWithoutNumber(
  db: Database<IssuingTables>,
  businessId: string,
): Promise<NotedDocument[]> {
  const { rows } = await sql<
    SettlingRow & {
      id: string;
      type: DocumentType;
      date: string;
      items: ItemsWithSku['items'];
      customer: AllocatedDocument['customer'];
      business: AllocatingBusiness;
      subtotal: string;
      discount: string;
      vat: string;
    }
  >`
    select document.id, document.type, document.dated_on as date, document.customer, document.business,
      ${decidingItems} as items,
      document.subtotal, document.discount, document.vat, settling.*
    from document cross join lateral ${settlingDocuments} as settling
    where document.business_id = ${businessId} and document.type in ('tax_invoice', 'tax_invoice_receipt')
      and document.vat > 0 and document.business ->> 'tax_authority_connected' = 'false'
      and document.subtotal - document.discount > (document.business ->> 'allocation_threshold_net')::numeric`.execute(
    db,
  );
  return rows.flatMap(({ id, subtotal, discount, vat, business, ...row }) => {
    const totals = { subtotal: Number(subtotal), discount: Number(discount), vat: Number(vat) };
    const document = { ...row, business_id: businessId, totals };
    const amount = undeductibleVat(document, business, Number(row.credited_vat));
    return amount > 0n ? [{ id, amount }] : [];
  });
}
