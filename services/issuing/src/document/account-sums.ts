import type { WithheldConfirmation } from '@pinkas/contracts';
import { type RawBuilder, sql } from 'kysely';

/** How a customer has confirmed what it has withheld, as `WithheldConfirmation`. */
export const confirmation = sql<WithheldConfirmation>`json_strip_nulls(json_build_object(
  'number', set_off.confirmation_number, 'date', set_off.confirmation_date))`;

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
  when document.type in ('tax_invoice', 'proforma') and document.balance = 0
    and (document.paid <> document.total or document.set_off <> 0)
  then document.total - document.paid - document.set_off - coalesce((select sum(note.total) from document as note
    where note.business_id = document.business_id and note.source_id = document.id and note.type = 'credit_note'), 0)
  else 0 end`;

/** What its customer has withheld of a document that asks for payment: an entry of its own on the account. */
export const withheldCredit = sql<string>`case
  when document.type in ('tax_invoice', 'proforma') then document.withheld else 0 end`;

/** What the customers of a business have withheld, each with the document that it settles and the receipt that states it. */
export const withheldRows = (businessId: string): RawBuilder<unknown> => sql`
  set_off
  join document on document.business_id = ${businessId} and document.id = set_off.document_id
  left join document as receipt on receipt.business_id = ${businessId} and receipt.id = set_off.id
  where set_off.business_id = ${businessId} and set_off.kind = 'withheld' and set_off.removed_at is null`;

/** Where such an entry stands among those of its date: behind its receipt, or else its document, and `entry` tells those of one place apart. */
export const withheldPosition = sql<number>`coalesce(receipt.position, document.position)`;
export const withheldEntry = sql<string>`set_off.id || '~' || set_off.document_id`;

/** The amounts of an account on a statement. */
export function accountSums(businessId: string, accountId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select document.dated_on, document.position, '' as entry, document.balance, ${debit} as debit, ${credit} as credit
    from document
    where document.business_id = ${businessId} and document.account_id = ${accountId} and ${isOnAccount}
    union all
    select set_off.withheld_on, ${withheldPosition}, ${withheldEntry}, null, 0, set_off.amount
    from ${withheldRows(businessId)} and set_off.account_id = ${accountId}`;
}
