import type { DocumentType } from '../document-types.js';
import type { PaymentMethod } from '../payment-methods.js';

/** The codes of the document types (uniform structure 1.31, appendix 1). A quote has none: it is not part of the files. */
export const uniformDocumentCodes: Readonly<Record<Exclude<DocumentType, 'quote'>, number>> = {
  order: 100,
  delivery_note: 200,
  return_note: 210,
  proforma: 300,
  tax_invoice: 305,
  tax_invoice_receipt: 320,
  credit_note: 330,
  receipt: 400,
  donation_receipt: 405,
};

/** The code of a type; null where the structure has none. */
export function uniformDocumentCode(type: DocumentType): number | null {
  return type === 'quote' ? null : uniformDocumentCodes[type];
}

/** The codes of the means of payment (field 1306). The structure has none for a wallet: 9 is 'other'. */
export const uniformPaymentCodes: Readonly<Record<PaymentMethod, number>> = {
  cash: 1,
  check: 2,
  credit_card: 3,
  bank_transfer: 4,
  wallet_method_1: 9,
  wallet_method_2: 9,
  wallet_method_3: 9,
  wallet_method_4: 9,
  wallet_method_5: 9,
};
