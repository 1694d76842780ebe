import {
  type Withheld,
  type WithheldPosition,
  type WithheldSums,
  withheldCustomersMax,
} from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { type RawBuilder, sql } from 'kysely';
import { confirmation, withheldRows } from './account-sums.js';
import type { IssuingTables } from './document.tables.js';

interface WithheldRow {
  id: string;
  document_id: string;
  type: DocumentType;
  number: number;
  receipt_number: number | null;
  account_id: string;
  name: string;
  tax_id: string | null;
  amount: string;
  withheld_on: string;
  set_at: Date;
  confirmation: Withheld['confirmation'];
}

async function read(
  db: Database<IssuingTables>,
  businessId: string,
  condition: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): Promise<Withheld[]> {
  const { rows } = await sql<WithheldRow>`
    select set_off.id, set_off.document_id, document.type, document.number, receipt.number as receipt_number,
      set_off.account_id, document.customer ->> 'name' as name, document.customer ->> 'tax_id' as tax_id, set_off.amount,
      set_off.withheld_on, set_off.set_at, ${confirmation} as confirmation
    from ${withheldRows(businessId)} and ${condition}
    order by ${order}`.execute(db);
  return rows.map((row) => ({
    withheld_id: row.id,
    document: { id: row.document_id, type: row.type, number: row.number },
    receipt: row.receipt_number === null ? null : { id: row.id, number: row.receipt_number },
    customer: { id: row.account_id, name: row.name, tax_id: row.tax_id },
    amount: Number(row.amount),
    withheld_on: row.withheld_on,
    recorded_at: row.set_at.toISOString(),
    confirmation: row.confirmation,
  }));
}

/** What is withheld of a document, or was with a receipt, the latest first. */
export const withheldOf = (
  db: Database<IssuingTables>,
  businessId: string,
  documentId: string,
): Promise<Withheld[]> =>
  read(
    db,
    businessId,
    sql`${documentId}::uuid in (set_off.document_id, set_off.id)`,
    sql`set_off.set_at desc, set_off.id`,
  );

/** Dates of payments, both inclusive. */
interface DateRange {
  readonly from: string;
  readonly to: string;
}

const within = ({ from, to }: DateRange) => sql`set_off.withheld_on between ${from}::date and ${to}::date`;

/** What was withheld in a range of dates, customer by customer. */
export const listWithheldOf = (
  db: Database<IssuingTables>,
  businessId: string,
  range: DateRange & { readonly after: WithheldPosition | null },
  limit: number,
): Promise<Withheld[]> => {
  const order = sql`set_off.account_id, set_off.withheld_on, set_off.id, set_off.document_id`;
  const { after } = range;
  const isAfter =
    after === null
      ? sql`true`
      : sql`(${order}) > (${after.customer_id}::uuid, ${after.withheld_on}::date, ${after.withheld_id}::uuid, ${after.document_id}::uuid)`;
  return read(db, businessId, sql`${within(range)} and ${isAfter}`, sql`${order} limit ${limit}`);
};

/** The sums of a range of dates; undefined where nothing was withheld. A customer is named as the document of its latest entry names it. */
export async function sumWithheldOf(
  db: Database<IssuingTables>,
  businessId: string,
  range: DateRange,
): Promise<WithheldSums | undefined> {
  const { rows } = await sql<
    Pick<WithheldRow, 'account_id' | 'name' | 'tax_id' | 'amount'> & {
      entries: number;
      all: string;
      customers: number;
    }
  >`
    select set_off.account_id, count(*)::integer as entries, sum(set_off.amount) as amount,
      (array_agg(document.customer order by set_off.withheld_on desc, set_off.id))[1] ->> 'name' as name,
      (array_agg(document.customer order by set_off.withheld_on desc, set_off.id))[1] ->> 'tax_id' as tax_id,
      sum(sum(set_off.amount)) over () as all, (count(*) over ())::integer as customers
    from ${withheldRows(businessId)} and ${within(range)}
    group by set_off.account_id
    order by amount desc, set_off.account_id limit ${withheldCustomersMax}`.execute(db);
  const [first] = rows;
  return (
    first && {
      amount: Number(first.all),
      customers: first.customers,
      by_customer: rows.map(({ account_id, name, tax_id, entries, amount }) => ({
        ...{ id: account_id, name, tax_id, entries },
        amount: Number(amount),
      })),
    }
  );
}
