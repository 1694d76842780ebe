import { documentTypes } from '@pinkas/domain';
import type { Database, Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { DocumentRow } from './document.repository.js';
import type { DocumentSumTable, IssuingTables } from './document.tables.js';

/** The sums of the documents of a range of dates, of each type that has one; amounts with two decimals, as text. */
export async function sumsByType(
  db: Database<IssuingTables>,
  businessId: string,
  { from, to }: { from: string; to: string },
): Promise<Omit<Selectable<DocumentSumTable>, 'business_id' | 'dated_on' | 'vat_rate'>[]> {
  const { rows } = await sql<Selectable<DocumentSumTable>>`
    select type, sum(documents) as documents, sum(cancelled) as cancelled, sum(net) as net, sum(vat) as vat,
      sum(total) as total
    from document_sum
    where business_id = ${businessId} and type = any(${documentTypes}::text[]) and dated_on between ${from} and ${to}
    group by type`.execute(db);
  return rows;
}

/** The dates of a series, or first days of its months, whose sums are not those of its documents; one statement, so that it can run while documents are issued. */
export async function datesOfWrongSums(
  db: Database<IssuingTables>,
  { business_id, type }: Pick<DocumentRow, 'business_id' | 'type'>,
): Promise<string[]> {
  const { rows } = await sql<{ dated_on: string }>`
    with kept as (
      select dated_on, vat_rate, count(*) filter (where status <> 'cancelled') as documents,
        count(*) filter (where status = 'cancelled') as cancelled,
        coalesce(sum(subtotal - discount) filter (where status <> 'cancelled'), 0) as net,
        coalesce(sum(vat) filter (where status <> 'cancelled'), 0) as vat,
        coalesce(sum(total) filter (where status <> 'cancelled'), 0) as total
      from document where business_id = ${business_id} and type = ${type} group by dated_on, vat_rate
    ), summed as (
      select dated_on, vat_rate, documents, cancelled, net, vat, total
      from document_sum where business_id = ${business_id} and type = ${type}
    ), paid as (
      select dated_on, payment ->> 'method' as method, count(distinct id) as documents, count(*) as payments,
        sum((payment ->> 'amount')::numeric) as amount
      from document, jsonb_array_elements(payments) as payment
      where business_id = ${business_id} and type = ${type} group by dated_on, payment ->> 'method'
    ), received as (
      select dated_on, method, documents, payments, amount
      from payment_sum where business_id = ${business_id} and type = ${type}
    ), accounted as (
      select date_trunc('month', dated_on::timestamp)::date as dated_on, account_id, count(*) as documents,
        sum(subtotal - discount) as net, sum(total) as total
      from document
      where business_id = ${business_id} and type = ${type}
        and type in ('tax_invoice', 'tax_invoice_receipt', 'receipt', 'credit_note')
      group by 1, 2
    ), stored_of_accounts as (
      select month as dated_on, account_id, documents, net, total
      from account_sum where business_id = ${business_id} and type = ${type}
    )
    select dated_on from kept full join summed using (dated_on, vat_rate)
    where (kept.documents, kept.cancelled, kept.net, kept.vat, kept.total)
      is distinct from (summed.documents, summed.cancelled, summed.net, summed.vat, summed.total)
    union
    select dated_on from paid full join received using (dated_on, method)
    where (paid.documents, paid.payments, paid.amount)
      is distinct from (received.documents, received.payments, received.amount)
    union
    select dated_on from accounted full join stored_of_accounts as stored using (dated_on, account_id)
    where (accounted.documents, accounted.net, accounted.total)
      is distinct from (stored.documents, stored.net, stored.total)
    order by dated_on`.execute(db);
  return rows.map((row) => row.dated_on);
}

/** What the documents of a type amount to in a month, YYYY-MM. */
type MonthSumRow = Pick<Selectable<DocumentSumTable>, 'type' | 'documents' | 'net' | 'vat' | 'total'> & {
  readonly month: string;
};

/** The sums of the documents of each month from the one date to the other, by type; amounts with two decimals, as text. */
export async function sumsByMonth(
  db: Database<IssuingTables>,
  businessId: string,
  { from, to }: { from: string; to: string },
): Promise<MonthSumRow[]> {
  const { rows } = await sql<MonthSumRow>`
    select to_char(dated_on, 'YYYY-MM') as month, type, sum(documents)::integer as documents, sum(net) as net,
      sum(vat) as vat, sum(total) as total
    from document_sum
    where business_id = ${businessId} and type = any(${documentTypes}::text[]) and dated_on between ${from} and ${to}
    group by 1, 2
    having sum(documents) > 0
    order by 1, 2`.execute(db);
  return rows;
}

/**
 * Takes a document that was cancelled out of the sums of its date. It must be the last lock of the transaction: `insertIssued` takes
 * it last as well, and nothing is waited for while it is held.
 */
export async function subtractCancelled(
  trx: Transaction<IssuingTables>,
  { business_id, type, dated_on, vat_rate, subtotal, discount, vat, total }: DocumentRow,
): Promise<void> {
  await sql`
    update document_sum set documents = documents - 1, cancelled = cancelled + 1,
      net = net - (${subtotal}::numeric - ${discount}::numeric), vat = vat - ${vat}, total = total - ${total}
    where business_id = ${business_id} and type = ${type} and dated_on = ${dated_on} and vat_rate = ${vat_rate}`.execute(
    trx,
  );
}
