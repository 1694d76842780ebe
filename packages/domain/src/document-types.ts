import type { Agorot } from './money/agorot.js';

/** The ten kinds of document (API specification, 2.1). */
export const documentTypes = [
  'quote',
  'order',
  'delivery_note',
  'return_note',
  'proforma',
  'tax_invoice',
  'tax_invoice_receipt',
  'receipt',
  'credit_note',
  'donation_receipt',
] as const;
export type DocumentType = (typeof documentTypes)[number];

/** The legal types of a business, with their Hebrew labels. */
export const businessLegalTypes = {
  osek_murshe: 'עוסק מורשה',
  hevra_baam: 'חברה בע"מ',
  osek_patur: 'עוסק פטור',
  amuta: 'עמותה',
  public_institution: 'מוסד ציבורי',
} as const;
export type BusinessLegalType = keyof typeof businessLegalTypes;

/** The legal types of a customer (API specification, 2.5). */
export const customerLegalTypes = ['hevra_baam', 'osek_murshe', 'osek_patur', 'amuta', 'private'] as const;
export type CustomerLegalType = (typeof customerLegalTypes)[number];

/** The rules that hold for every document of one type. */
interface DocumentTypeRules {
  readonly name: string;
  readonly nameHe: string;
  readonly payments: 'required' | 'forbidden';
  readonly discount: 'allowed' | 'forbidden';
  /** Whether an exempt dealer, an NPO or a public institution may issue it (VAT law, section 50, forbids them tax invoices). */
  readonly exemptMayIssue: boolean;
  /** The types of document that it may be based on. */
  readonly sources: readonly DocumentType[];
  readonly sourceRequired: boolean;
  /** The status that it is issued in, unless nothing is to be paid (`statusAtIssue`). */
  readonly issuedAs: 'open' | 'closed';
  /** Whether it may be cancelled; accounting documents are reversed by a credit note instead. */
  readonly cancellable: boolean;
  /** Whether it has a due date. */
  readonly dueDate: boolean;
}

const rules = (
  name: string,
  nameHe: string,
  parts: Partial<Omit<DocumentTypeRules, 'name' | 'nameHe'>> = {},
): DocumentTypeRules => ({
  name,
  nameHe,
  payments: 'forbidden',
  discount: 'allowed',
  exemptMayIssue: true,
  sources: [],
  sourceRequired: false,
  issuedAs: 'open',
  cancellable: false,
  dueDate: false,
  ...parts,
});

/** The table of types: interface 2.1 and 3.1, with the table of sources. */
export const documentTypeRules: Readonly<Record<DocumentType, DocumentTypeRules>> = {
  quote: rules('Quote', 'הצעת מחיר', { cancellable: true }),
  order: rules('Order', 'הזמנה', { cancellable: true, sources: ['quote'] }),
  delivery_note: rules('Delivery note', 'תעודת משלוח', { cancellable: true, sources: ['quote', 'order'] }),
  return_note: rules('Return note', 'תעודת החזרה', { cancellable: true, sources: ['delivery_note'] }),
  proforma: rules('Proforma invoice', 'חשבון עסקה', {
    cancellable: true,
    dueDate: true,
    sources: ['quote', 'order', 'delivery_note'],
  }),
  tax_invoice: rules('Tax invoice', 'חשבונית מס', {
    exemptMayIssue: false,
    dueDate: true,
    sources: ['quote', 'order', 'delivery_note', 'return_note', 'proforma'],
  }),
  tax_invoice_receipt: rules('Tax invoice / receipt', 'חשבונית מס / קבלה', {
    payments: 'required',
    exemptMayIssue: false,
    issuedAs: 'closed',
    sources: ['quote', 'order', 'delivery_note', 'proforma'],
  }),
  receipt: rules('Receipt', 'קבלה', {
    payments: 'required',
    discount: 'forbidden',
    issuedAs: 'closed',
    sources: ['tax_invoice', 'proforma'],
  }),
  credit_note: rules('Credit note', 'חשבונית זיכוי', {
    exemptMayIssue: false,
    issuedAs: 'closed',
    sources: ['tax_invoice', 'tax_invoice_receipt'],
    sourceRequired: true,
  }),
  donation_receipt: rules('Donation receipt', 'קבלה על תרומה', {
    payments: 'required',
    discount: 'forbidden',
    issuedAs: 'closed',
  }),
};

/** The types that go with goods: they need no prices (Income Tax Bookkeeping Instructions, 8). */
export function isGoodsNote(type: DocumentType): boolean {
  return type === 'delivery_note' || type === 'return_note';
}

/**
 * The status in which a document is issued. One that asks for a payment is closed where nothing is to be paid.
 * @param total of the document.
 */
export function statusAtIssue(type: DocumentType, total: Agorot): 'open' | 'closed' {
  const { issuedAs, dueDate } = documentTypeRules[type];
  return dueDate && total === 0n ? 'closed' : issuedAs;
}

/** Whether a business of this legal type may issue documents of this type. */
export function mayIssue(legalType: BusinessLegalType, type: DocumentType): boolean {
  return legalType === 'osek_murshe' || legalType === 'hevra_baam' || documentTypeRules[type].exemptMayIssue;
}
