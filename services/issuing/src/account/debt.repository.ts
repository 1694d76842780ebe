import type { Debtor, DebtorPosition, DebtPosition, DebtsByAge } from '@pinkas/contracts';
import { type DebtAge, debtAges, dueDatesOfAge, fromShekels, toShekels } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import { dueOn, ofAllAccounts } from '../document/debt-sums.js';
import { type DocumentRow, type HeadRow, headColumns } from '../document/document.repository.js';
import type { DebtSumTable, IssuingTables } from '../document/document.tables.js';

/** What is left to pay of a book, by age on a day: as many rows are read as there are due dates and debtors, and no document. */
export async function sumDebts(
  db: Database<IssuingTables>,
  businessId: string,
  today: string,
): Promise<DebtsByAge & { customers: number }> {
  const ages = debtAges.map((age) => {
    const { from, to } = dueDatesOfAge(age, today);
    return sql`(${age}, ${from ?? '-infinity'}::date, ${to ?? 'infinity'}::date)`;
  });
  const { rows } = await sql<{ age: DebtAge; documents: number; open_agorot: number; customers: number }>`
    select age, coalesce(sum(documents), 0)::integer as documents, coalesce(sum(open_agorot), 0)::bigint as open_agorot, (
      select count(*)::integer from debt_sum
      where business_id = ${businessId} and due_on = 'infinity' and open_agorot > 0
    ) as customers
    from (values ${sql.join(ages)}) as of_age (age, first, last)
    left join debt_sum on business_id = ${businessId} and account_id = ${ofAllAccounts} and due_on between first and last
    group by age`.execute(db);
  const sumOf = (counted: typeof rows) => counted.reduce((sum, row) => sum + row.open_agorot, 0);
  return {
    customers: rows[0]?.customers ?? 0,
    documents: rows.reduce((count, row) => count + row.documents, 0),
    amount: toShekels(BigInt(sumOf(rows))),
    late: toShekels(BigInt(sumOf(rows.filter(({ age }) => age !== 'not_due')))),
    ages: debtAges.map((age) => {
      const row = rows.find((found) => found.age === age);
      return { age, documents: row?.documents ?? 0, amount: toShekels(BigInt(row?.open_agorot ?? 0)) };
    }),
  };
}

/** A customer with something left to pay. */
type DebtorRow = Omit<Debtor, 'days_late'>;

/** The accounts with the largest debts: of each a row for each due date is read, and one document. */
export async function findDebtors(
  db: Database<IssuingTables>,
  businessId: string,
  {
    today,
    limit,
    after,
    customer_ids: ids,
  }: {
    today: string;
    limit: number;
    after: DebtorPosition | null;
    customer_ids?: readonly string[] | undefined;
  },
): Promise<DebtorRow[]> {
  const position = after && { agorot: Number(fromShekels(after.amount)), id: after.customer_id };
  const { rows } = await sql<DebtSumTable & { name: string; late_agorot: number }>`
    select debtor.account_id, debtor.documents, debtor.open_agorot, debtor.on_account_agorot, first.name, first.due_on,
      (select coalesce(sum(open_agorot), 0)::bigint from debt_sum as late
        where late.business_id = ${businessId} and late.account_id = debtor.account_id and late.due_on < ${today}) as late_agorot
    from (
      select * from debt_sum
      where business_id = ${businessId} and due_on = 'infinity' and open_agorot > 0
        and ${ids === undefined ? sql`true` : sql`account_id = any(${ids}::uuid[])`}
        and ${
          position === null
            ? sql`true`
            : sql`open_agorot <= ${position.agorot}
          and (open_agorot < ${position.agorot} or account_id > ${position.id}::uuid)`
        }
      order by open_agorot desc, account_id limit ${limit}
    ) as debtor
    cross join lateral (
      select document.customer ->> 'name' as name, ${dueOn} as due_on from document
      where document.business_id = ${businessId} and document.account_id = debtor.account_id and document.balance > 0
      order by ${dueOn}, document.id limit 1
    ) as first
    order by debtor.open_agorot desc, debtor.account_id`.execute(db);
  const shekels = (agorot: number) => toShekels(BigInt(agorot));
  return rows.map((row) => ({
    customer_id: row.account_id,
    name: row.name,
    documents: row.documents,
    amount: shekels(row.open_agorot),
    late: shekels(row.late_agorot),
    due_on: row.due_on,
    on_account: shekels(row.on_account_agorot),
  }));
}

/** An open document. */
type DebtRow = HeadRow & Pick<DocumentRow, 'account_id' | 'balance'> & { due: string };

/** The open documents that were due first. */
export async function findDebts(
  db: Database<IssuingTables>,
  businessId: string,
  filter: {
    customer_id?: string | undefined;
    from: string | null;
    to: string | null;
    limit: number;
    after: DebtPosition | null;
  },
): Promise<DebtRow[]> {
  const { customer_id, from, to, limit, after } = filter;
  const rows = await db
    .selectFrom('document')
    .select(headColumns)
    .select(['document.account_id', 'document.balance', dueOn.as('due')])
    .where('document.business_id', '=', businessId)
    .where(sql<boolean>`document.balance > 0`)
    .$if(customer_id !== undefined, (query) => query.where('document.account_id', '=', customer_id ?? null))
    // Always, so that the index in the order of the list is the best one, whatever the planner knows.
    .where(dueOn, '>=', from ?? '-infinity')
    .$if(after !== null, (query) =>
      query.where(
        sql<boolean>`((${dueOn}), document.id) > (${after?.due_on}::date, ${after?.document_id}::uuid)`,
      ),
    )
    .orderBy(dueOn)
    .orderBy('document.id')
    .limit(limit)
    .execute();
  // Not by the server: it takes a range for so few documents that it may read and sort all of them.
  return rows.filter(({ due }) => to === null || due <= to);
}
