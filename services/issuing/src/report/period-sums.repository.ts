import { type DocumentType, type PaymentMethod, receivingTypes, saleTypes } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { IssuingTables } from '../document/document.tables.js';

/** Document dates, both included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** The sums of a month; amounts with two decimals, as text. */
export interface MonthSum {
  /** YYYY-MM. */
  month: string;
  type: DocumentType;
  vat_rate: string;
  documents: number;
  net: string;
  vat: string;
  total: string;
}

/** The sales of each month of a period, by type and VAT rate: as many rows as the period has days are read, and no document. */
export async function saleSums(
  db: Database<IssuingTables>,
  businessId: string,
  { from, to }: Period,
): Promise<MonthSum[]> {
  const { rows } = await sql<MonthSum>`
    select to_char(dated_on, 'YYYY-MM') as month, type, vat_rate, sum(documents) as documents, sum(net) as net,
      sum(vat) as vat, sum(total) as total
    from document_sum
    where business_id = ${businessId} and type = any(${saleTypes}::text[]) and dated_on between ${from} and ${to}
    group by 1, 2, 3`.execute(db);
  return rows;
}

/** What was received in a month by a means of payment. */
export interface ReceiptSum {
  month: string;
  method: PaymentMethod;
  payments: number;
  amount: string;
}

/** The receipts of each month of a period, by means of payment. */
export async function receiptSums(
  db: Database<IssuingTables>,
  businessId: string,
  { from, to }: Period,
): Promise<ReceiptSum[]> {
  const { rows } = await sql<ReceiptSum>`
    select to_char(dated_on, 'YYYY-MM') as month, method, sum(payments) as payments, sum(amount) as amount
    from payment_sum
    where business_id = ${businessId} and type = any(${receivingTypes}::text[]) and dated_on between ${from} and ${to}
    group by 1, 2`.execute(db);
  return rows;
}
