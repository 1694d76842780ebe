import { type RawBuilder, sql } from 'kysely';

/** The types whose documents are on the account of a customer, as the predicate of its index names them. */
export const isOnAccount = sql<boolean>`document.type in
  ('proforma', 'tax_invoice', 'tax_invoice_receipt', 'receipt', 'credit_note')`;

/** What a document asks for on the account of its customer: a proforma only while no invoice asks instead. */
export const debit = sql<string>`case
  when document.type in ('tax_invoice', 'tax_invoice_receipt') or document.type = 'proforma' and document.balance is not null
  then document.total else 0 end`;

/** What a document settles there. A receipt settles what it has received, which may differ from its total by an agora. */
export const credit = sql<string>`case document.type
  when 'tax_invoice_receipt' then document.total when 'credit_note' then document.total when 'receipt' then document.paid
  else 0 end`;

/** The amounts of an account, of which an index has all. */
export function accountSums(businessId: string, accountId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select document.dated_on, document.position, document.balance, ${debit} as debit, ${credit} as credit
    from document
    where document.business_id = ${businessId} and document.account_id = ${accountId} and ${isOnAccount}`;
}
