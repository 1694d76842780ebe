import type { DebtorPosition, DebtPosition, DebtsByAge } from '@pinkas/contracts';
import { debtAges, dueDatesOfAge, fromShekels, toShekels } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { type RawBuilder, sql } from 'kysely';
import { type DocumentRow, type HeadRow, headColumns } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { accountSums } from './account-sums.js';

/** The due date, or the date where there is none, as the indexes have it. */
const dueOn = sql<string>`case when document.due_on is null then document.dated_on else document.due_on end`;

/** The count and the sum of each age, in the order of `debtAges`. */
interface AgeColumns {
  readonly counts: readonly (number | string | null)[];
  readonly amounts: readonly (number | string | null)[];
}

/** The debts of each account, by age on a day: an index has all of it. */
function debtsByAccount(businessId: string, today: string): RawBuilder<unknown> {
  const ages = debtAges.map((age) => {
    const { from, to } = dueDatesOfAge(age, today);
    return sql`(${dueOn}) between ${from ?? '-infinity'}::date and ${to ?? 'infinity'}::date`;
  });
  const counts = ages.map((isOfAge) => sql`count(*) filter (where ${isOfAge})`);
  const amounts = ages.map((isOfAge) => sql`coalesce(sum(document.balance) filter (where ${isOfAge}), 0)`);
  return sql`
    select document.account_id, count(*) as documents, sum(document.balance) as amount, min(${dueOn}) as due_on,
      array[${sql.join(counts)}] as counts, array[${sql.join(amounts)}] as amounts
    from document
    where document.business_id = ${businessId} and document.balance > 0
    group by document.account_id`;
}

/** What is left to pay of a book, by age on a day. */
export async function sumDebts(
  db: Database<IssuingTables>,
  businessId: string,
  today: string,
): Promise<DebtsByAge & { customers: number }> {
  const counts = debtAges.map((_, index) => sql`sum(counts[${index + 1}::integer])`);
  const amounts = debtAges.map((_, index) => sql`sum(amounts[${index + 1}::integer])`);
  const { rows } = await sql<
    AgeColumns & { customers: number; documents: number | null; amount: string | null }
  >`
    select count(*) as customers, sum(documents) as documents, sum(amount) as amount,
      array[${sql.join(counts)}] as counts, array[${sql.join(amounts)}] as amounts
    from (${debtsByAccount(businessId, today)}) as debtor`.execute(db);
  const row = rows[0];
  return { customers: row?.customers ?? 0, ...byAge(row) };
}

/** A customer with something left to pay. */
export interface DebtorRow extends DebtsByAge {
  readonly customer_id: string;
  readonly name: string;
  readonly due_on: string;
  readonly on_account: number;
}

/** The accounts with the largest debts. */
export async function findDebtors(
  db: Database<IssuingTables>,
  businessId: string,
  { today, limit, after }: { today: string; limit: number; after: DebtorPosition | null },
): Promise<DebtorRow[]> {
  const isAfter =
    after === null
      ? sql`true`
      : sql`(amount < ${after.amount} or amount = ${after.amount} and account_id > ${after.customer_id}::uuid)`;
  const { rows } = await sql<
    AgeColumns & {
      account_id: string;
      documents: number;
      amount: string;
      due_on: string;
      name: string;
      closing: string;
    }
  >`
    select debtor.*, first.name, account.closing
    from (
      select * from (${debtsByAccount(businessId, today)}) as debtor
      where ${isAfter} order by amount desc, account_id limit ${limit}
    ) as debtor
    cross join lateral (
      select document.customer ->> 'name' as name from document
      where document.business_id = ${businessId} and document.account_id = debtor.account_id and document.balance > 0
      order by ${dueOn}, document.id limit 1
    ) as first
    cross join lateral (
      select sum(debit - credit) as closing
      from (${accountSums(businessId, sql`debtor.account_id`)}) as entry
    ) as account
    order by debtor.amount desc, debtor.account_id`.execute(db);
  return rows.map((row) => ({
    customer_id: row.account_id,
    name: row.name,
    due_on: row.due_on,
    ...byAge(row),
    on_account: toShekels(fromShekels(Number(row.amount)) - fromShekels(Number(row.closing))),
  }));
}

/** An open document. */
export type DebtRow = HeadRow & Pick<DocumentRow, 'account_id' | 'balance'> & { due: string };

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
  return db
    .selectFrom('document')
    .select(headColumns)
    .select(['document.account_id', 'document.balance', dueOn.as('due')])
    .where('document.business_id', '=', businessId)
    .where(sql<boolean>`document.balance > 0`)
    .$if(customer_id !== undefined, (query) => query.where('document.account_id', '=', customer_id ?? null))
    .$if(from !== null, (query) => query.where(dueOn, '>=', from))
    .$if(to !== null, (query) => query.where(dueOn, '<=', to))
    .$if(after !== null, (query) =>
      query.where(
        sql<boolean>`((${dueOn}), document.id) > (${after?.due_on}::date, ${after?.document_id}::uuid)`,
      ),
    )
    .orderBy(dueOn)
    .orderBy('document.id')
    .limit(limit)
    .execute();
}

function byAge(
  row: (AgeColumns & { documents: number | null; amount: string | null }) | undefined,
): DebtsByAge {
  const amount = Number(row?.amount ?? 0);
  return {
    documents: Number(row?.documents ?? 0),
    amount,
    late: toShekels(
      fromShekels(amount) - fromShekels(Number(row?.amounts[debtAges.indexOf('not_due')] ?? 0)),
    ),
    ages: debtAges.map((age, index) => ({
      age,
      documents: Number(row?.counts[index] ?? 0),
      amount: Number(row?.amounts[index] ?? 0),
    })),
  };
}
