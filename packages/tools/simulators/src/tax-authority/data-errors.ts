import type { DataError } from './answer.js';

/** The texts of the papers' examples (EX; those of 437 and 438 beyond the count are guesses). */
const texts: Readonly<Record<number, readonly [message: string, param: string]>> = {
  431: ['VAT Number is incorrect', 'vat_number'],
  434: ['Invoice date is too old for approval', 'invoice_date'],
  435: ['Invoice date is more than a month ahead', 'invoice_date'],
  437: ['VAT amount must be 0 when action is 3', 'vat_amount'],
  438: ['Invoices amount is not the same as actual invoices amount', 'invoices_amount'],
  446: ['Requeried one of the two fields: user ID or user name', 'user_id / user_name'],
  460: ['Invoice not approved', 'vat_number'],
  461: ['The unapproved invoice exists. No decision was sent', 'invoice_id'],
  462: ['The unapproved invoice exists and decision was sent.', 'vat_number'],
  463: ['No matching unapproved invoice found', 'invoice_id'],
  472: ['Cannot retrieve information', 'body'],
};

/** One error of a request or of an approval, with the papers' text where there is one. */
export function dataError(code: number, param?: string, location?: DataError['location']): DataError {
  const [message, usual] = texts[code] ?? ['An error that no public paper describes', 'body'];
  const place = location ?? (code >= 460 && code <= 462 ? 'approval' : 'request');
  return { code, message, param: param ?? usual, location: place };
}
