import type { DocumentType } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { IssuingTables } from '../document/document.tables.js';

/** A customer and what they have brought in; the amount has two decimals, as text. */
interface TopCustomerRow {
  readonly customer_id: string;
  readonly name: string;
  readonly documents: number;
  readonly income: string;
}

/** Net sales, and of a business that issues no tax invoices, what its receipts acknowledge: as `monthResults` has it. */
const incomeTypes = {
  invoices: ['tax_invoice', 'tax_invoice_receipt', 'credit_note'],
  receipts: ['receipt'],
} as const satisfies Record<string, readonly DocumentType[]>;

/** The customers with the largest income, the largest first: as many rows as customers have months are read, and no document but for names. */
export async function findTopCustomers(
  db: Database<IssuingTables>,
  businessId: string,
  given: {
    readonly basis: keyof typeof incomeTypes;
    /** The first days of months, both inclusive. */
    readonly from: string;
    readonly to: string;
    readonly limit: number;
  },
): Promise<TopCustomerRow[]> {
  const income =
    given.basis === 'receipts' ? sql`total` : sql`case type when 'credit_note' then -net else net end`;
  const { rows } = await sql<TopCustomerRow>`
    select top.account_id as customer_id, latest.name, top.documents, top.income
    from (
      select account_id, sum(documents)::integer as documents, sum(${income}) as income
      from account_sum
      where business_id = ${businessId} and type = any(${incomeTypes[given.basis]}::text[])
        and month between ${given.from} and ${given.to}
      group by account_id having sum(${income}) > 0
      order by income desc, account_id limit ${given.limit}
    ) as top
    cross join lateral (
      select document.customer ->> 'name' as name from document
      where document.business_id = ${businessId} and document.customer_id = top.account_id
      order by document.position desc limit 1
    ) as latest
    order by top.income desc, top.account_id`.execute(db);
  return rows;
}
