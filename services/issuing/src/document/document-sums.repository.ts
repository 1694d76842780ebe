import { documentTypes } from '@pinkas/domain';
import type { Database, Transaction } from '@pinkas/service-kit';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { isOnAccount } from './account-sums.js';
import { agorotOf } from './amounts.js';
import { addToDebtSums, debtChange, debtChanges, debtOfDocument, debtSumsOf } from './debt-sums.js';
import { type DocumentRow, lockBook } from './document.repository.js';
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

/** The tables of sums, which are stored in addition to the documents. */
const sumTables = ['document_sum', 'payment_sum', 'account_sum', 'debt_sum'] as const;
type SumTable = (typeof sumTables)[number];

/** The rows that each table of sums has for the documents of a condition, in the order of its columns. */
export const sumsOf = {
  document_sum: (where: RawBuilder<boolean>) => sql`
    select business_id, type, dated_on, vat_rate, count(*) filter (where status <> 'cancelled') as documents,
      count(*) filter (where status = 'cancelled') as cancelled,
      coalesce(sum(subtotal - discount) filter (where status <> 'cancelled'), 0) as net,
      coalesce(sum(vat) filter (where status <> 'cancelled'), 0) as vat,
      coalesce(sum(total) filter (where status <> 'cancelled'), 0) as total
    from document where ${where} group by 1, 2, 3, 4`,
  payment_sum: (where: RawBuilder<boolean>) => sql`
    select business_id, type, dated_on, payment ->> 'method' as method, count(distinct id) as documents, count(*) as payments,
      sum((payment ->> 'amount')::numeric) as amount
    from document, jsonb_array_elements(payments) as payment where ${where} group by 1, 2, 3, 4`,
  account_sum: (where: RawBuilder<boolean>) => sql`
    select business_id, type, date_trunc('month', dated_on::timestamp)::date as month, account_id, count(*) as documents,
      sum(subtotal - discount) as net, sum(total) as total
    from document
    where ${where} and type in ('tax_invoice', 'tax_invoice_receipt', 'receipt', 'credit_note') group by 1, 2, 3, 4`,
  debt_sum: (where: RawBuilder<boolean>) =>
    debtSumsOf(sql`select ${debtOfDocument} from document where ${where} and ${isOnAccount}`),
} as const satisfies Record<SumTable, (where: RawBuilder<boolean>) => RawBuilder<unknown>>;

/** The rows that it has; a debt that has become nothing keeps its row. */
const stored = {
  document_sum: sql`select * from document_sum`,
  payment_sum: sql`select * from payment_sum`,
  account_sum: sql`select * from account_sum`,
  debt_sum: sql`select * from debt_sum where (documents, open_agorot, on_account_agorot) <> (0, 0, 0)`,
} as const satisfies Record<SumTable, unknown>;

/** The date of a row. */
const dates = {
  document_sum: sql`dated_on`,
  payment_sum: sql`dated_on`,
  account_sum: sql`month`,
  debt_sum: sql`nullif(due_on, 'infinity')`,
} as const satisfies Record<SumTable, unknown>;

/**
 * Which sums of a series are not those of its documents: of each table one statement, which sees one state while documents are issued.
 * Debts are of all series: they are compared with tax invoices.
 */
export async function wrongSums(
  db: Database<IssuingTables>,
  { business_id, type }: Pick<DocumentRow, 'business_id' | 'type'>,
): Promise<{ sums: SumTable; date: string | null }[]> {
  const ofBook = sql<boolean>`business_id = ${business_id}`;
  const ofSeries = sql<boolean>`${ofBook} and type = ${type}`;
  const wrong: { sums: SumTable; date: string | null }[] = [];
  for (const sums of sumTables.filter((table) => table !== 'debt_sum' || type === 'tax_invoice')) {
    const where = sums === 'debt_sum' ? ofBook : ofSeries;
    const { rows } = await sql<{ date: string | null }>`
      with made as (${sumsOf[sums](where)}), stored as (select * from (${stored[sums]}) as stored where ${where})
      select distinct ${dates[sums]} as date
      from ((table made except table stored) union all (table stored except table made)) as different order by date`.execute(
      db,
    );
    wrong.push(...rows.map(({ date }) => ({ sums, date })));
  }
  return wrong;
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
 * Takes a document that was cancelled out of the sums of its date, and what was left to pay of it out of the debts.
 * @param before as it was before.
 */
export async function subtractCancelled(trx: Transaction<IssuingTables>, before: DocumentRow): Promise<void> {
  const { business_id, type, dated_on, vat_rate, subtotal, discount, vat, total, balance } = before;
  await lockBook(trx, business_id);
  await sql`
    update document_sum set documents = documents - 1, cancelled = cancelled + 1,
      net = net - (${subtotal}::numeric - ${discount}::numeric), vat = vat - ${vat}, total = total - ${total}
    where business_id = ${business_id} and type = ${type} and dated_on = ${dated_on} and vat_rate = ${vat_rate}`.execute(
    trx,
  );
  if (balance !== null) {
    const paid = agorotOf(before.paid) + agorotOf(before.set_off);
    const change = debtChange(before, null, { before: paid, after: paid });
    await addToDebtSums(debtChanges([change])).execute(trx);
  }
}
