import type { DocumentType } from '@pinkas/domain';

/** What an exempt dealer, an NPO and a public institution may not issue (interface 2.1). */
export const forbiddenToExempt: readonly DocumentType[] = [
  'tax_invoice',
  'tax_invoice_receipt',
  'credit_note',
];

/** What each type may be based on (interface 2.1, and the decisions on documents). */
export const expectedSources: Readonly<Record<DocumentType, readonly DocumentType[]>> = {
  quote: [],
  order: ['quote'],
  delivery_note: ['quote', 'order'],
  return_note: ['delivery_note'],
  proforma: ['quote', 'order', 'delivery_note'],
  tax_invoice: ['quote', 'order', 'delivery_note', 'return_note', 'proforma'],
  tax_invoice_receipt: ['quote', 'order', 'delivery_note', 'proforma'],
  receipt: ['tax_invoice', 'proforma'],
  credit_note: ['tax_invoice', 'tax_invoice_receipt'],
  donation_receipt: [],
};

/** The types that may be cancelled (interface 3.1). */
export const cancellable: readonly DocumentType[] = [
  'quote',
  'order',
  'delivery_note',
  'return_note',
  'proforma',
];

/** The accounting documents, which a credit note reverses. */
export const accounting: readonly DocumentType[] = [
  'tax_invoice',
  'tax_invoice_receipt',
  'receipt',
  'credit_note',
  'donation_receipt',
];
