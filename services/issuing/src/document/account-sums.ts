import { type RawBuilder, sql } from 'kysely';

/** The types whose documents are on the account of a customer, as the predicate of its index names them. */
export const isOnAccount = sql<boolean>`document.type in
  ('proforma', 'tax_invoice', 'tax_invoice_receipt', 'receipt', 'credit_note')`;

/** What a document asks for on the account of its customer: a proforma only while no invoice asks instead. */
export const debit = sql<string>`case
  when document.type in ('tax_invoice', 'tax_invoice_receipt') or document.type = 'proforma' and document.balance is not null
  then document.total else 0 end`;

/**
 * What a document settles there. A receipt settles what it has received, which may differ from its total by an agora. An agora that
 * is left of a document or was received beyond it, and that `leftToPay` of the domain takes for nothing, is credited to the document
 * or taken from it, so that the account closes at what is left to pay.
 */
export const credit = sql<string>`case
  when document.type in ('tax_invoice_receipt', 'credit_note') then document.total
  when document.type = 'receipt' then document.paid
  when document.type in ('tax_invoice', 'proforma') and document.balance = 0 and document.paid <> document.total
  then document.total - document.paid - document.set_off - coalesce((select sum(note.total) from document as note
    where note.business_id = document.business_id and note.source_id = document.id and note.type = 'credit_note'), 0)
  else 0 end`;

/** The amounts of an account on a statement; an index has all but the credit notes of what is paid in part. */
export function accountSums(businessId: string, accountId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select document.dated_on, document.position, document.balance, ${debit} as debit, ${credit} as credit
    from document
    where document.business_id = ${businessId} and document.account_id = ${accountId} and ${isOnAccount}`;
}
