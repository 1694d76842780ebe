import type { PaymentPosition } from '@pinkas/contracts';
import { type PaymentMethod, receivingTypes } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import { type DocumentRow, type HeadRow, headColumns } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import type { Period } from './period-sums.repository.js';

/** Which payments are listed, and from where. */
interface PaymentFilter extends Period {
  readonly business_id: string;
  readonly method: PaymentMethod;
  readonly after: PaymentPosition | null;
}

/** A document with its payments. */
type PaidRow = HeadRow & Pick<DocumentRow, 'position' | 'payments'>;

/** The documents with a payment by a means, the latest first. Only the days that the sums name for a page are read. */
export async function findPayments(
  db: Database<IssuingTables>,
  filter: PaymentFilter,
  limit: number,
): Promise<PaidRow[]> {
  const { business_id, method, after } = filter;
  const days = await daysWithPayments(db, filter, limit);
  if (days.length === 0) {
    return [];
  }
  return db
    .selectFrom('document')
    .select(headColumns)
    .select(['document.position', 'document.payments'])
    .where('business_id', '=', business_id)
    .where(sql<boolean>`document.type = any(${receivingTypes}::text[])`)
    .where(sql<boolean>`document.dated_on = any(${days}::date[])`)
    .where(sql<boolean>`document.payments @> ${JSON.stringify([{ method }])}::jsonb`)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(dated_on, position) < (${after?.date}::date, ${after?.position}::bigint)`),
    )
    .orderBy('dated_on', 'desc')
    .orderBy('position', 'desc')
    .limit(limit)
    .execute();
}

/** The latest days that together have a page of documents; of the day on which the page before ended all are counted once more. */
async function daysWithPayments(
  db: Database<IssuingTables>,
  { business_id, method, from, to, after }: PaymentFilter,
  limit: number,
): Promise<string[]> {
  const last = after !== null && after.date < to ? after.date : to;
  const { rows } = await sql<{ dated_on: string }>`
    with day as (
      select dated_on, sum(documents) as documents from payment_sum
      where business_id = ${business_id} and type = any(${receivingTypes}::text[]) and method = ${method}
        and dated_on between ${from} and ${last}
      group by dated_on
    )
    select dated_on from (
      select dated_on, sum(documents) over (order by dated_on desc) - documents as newer,
        first_value(documents) over (order by dated_on desc) as of_first
      from day
    ) as counted
    where newer < ${limit}::bigint + of_first`.execute(db);
  return rows.map((row) => row.dated_on);
}
