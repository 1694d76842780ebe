import type { Agorot } from '@pinkas/domain';
import { type RawBuilder, sql } from 'kysely';
import { credit, debit, withheldCredit } from './account-sums.js';
import { agorotOf } from './amounts.js';
import type { DocumentRow } from './document.repository.js';
import type { DebtSumTable } from './document.tables.js';

/** The due date, or the date where there is none, as the indexes have it. */
export const dueOn = sql<string>`case when document.due_on is null then document.dated_on else document.due_on end`;

/** The account that has the sums of all accounts, by due date. */
export const ofAllAccounts = '00000000-0000-0000-0000-000000000000';

/** What a document adds to the debts, as columns: what is left to pay of it, and what it has received beyond what is asked for. */
export const debtOfDocument = sql`document.business_id, document.account_id, ${dueOn} as due_on,
  coalesce((document.balance > 0)::integer, 0) as documents,
  (100 * greatest(document.balance, 0))::bigint as open_agorot,
  (100 * (greatest(document.balance, 0) - ${debit} + ${credit} + ${withheldCredit}))::bigint as on_account_agorot`;

/** The rows of `debt_sum` for what some documents add: of each account and due date, of each account, and of each due date. */
export const debtSumsOf = (debts: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select business_id, coalesce(account_id, ${ofAllAccounts}::uuid) as account_id, coalesce(due_on, 'infinity') as due_on,
    sum(documents)::integer as documents, sum(open_agorot)::bigint as open_agorot,
    (case when due_on is null then sum(on_account_agorot) else 0 end)::bigint as on_account_agorot
  from (${debts}) as debt
  group by business_id, grouping sets ((account_id, due_on), (account_id), (due_on))
  having sum(documents) <> 0 or sum(open_agorot) <> 0 or due_on is null and sum(on_account_agorot) <> 0`;

/** Adds what some documents add, under the lock of the book. */
export const addToDebtSums = (debts: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into debt_sum (business_id, account_id, due_on, documents, open_agorot, on_account_agorot)
  ${debtSumsOf(debts)}
  on conflict (business_id, account_id, due_on) do update
    set documents = debt_sum.documents + excluded.documents, open_agorot = debt_sum.open_agorot + excluded.open_agorot,
      on_account_agorot = debt_sum.on_account_agorot + excluded.on_account_agorot`;

/** What a change of a balance adds to the debts. */
export type DebtChange = DebtSumTable;

/** The same as rows. */
export const debtChanges = (changes: readonly DebtChange[]): RawBuilder<unknown> =>
  sql`select * from json_populate_recordset(null::debt_sum, ${JSON.stringify(changes)}::json)`;

/**
 * What it adds to the debts that another amount is left to pay of a document; null: it asks for no payment.
 * @param settled what was paid, set off and credited of it, before and after.
 * @param withheld what is withheld of it in addition, which is credited to the account; what is set off is there already.
 */
export function debtChange(
  row: Pick<DocumentRow, 'business_id' | 'account_id' | 'due_on' | 'dated_on' | 'balance'>,
  balance: Agorot | null,
  settled: { readonly before: Agorot; readonly after: Agorot },
  withheld: Agorot = 0n,
): DebtChange {
  const before = debtOf(row.balance === null ? null : agorotOf(row.balance), settled.before);
  const after = debtOf(balance, settled.after);
  const { business_id, account_id, due_on, dated_on } = row;
  return {
    ...{ business_id, account_id, due_on: due_on ?? dated_on },
    documents: after.documents - before.documents,
    open_agorot: Number(after.open - before.open),
    on_account_agorot: Number(after.open - after.asked - (before.open - before.asked) + withheld),
  };
}

/** An agora that is nothing is not asked for, nor given back; a proforma asks for nothing on the account once an invoice does. */
function debtOf(balance: Agorot | null, settled: Agorot) {
  const open = balance !== null && balance > 0n ? balance : 0n;
  return { documents: open > 0n ? 1 : 0, open, asked: balance === null ? 0n : settled + balance };
}
