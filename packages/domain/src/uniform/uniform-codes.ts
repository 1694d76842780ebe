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

/** Every document type of the structure with its name (§5.1): the report on the types has a row for each of them (§2.6 b). */
export const uniformTypeNames: ReadonlyMap<number, string> = new Map([
  [100, 'הזמנה'],
  [200, 'תעודת משלוח'],
  [205, 'תעודת משלוח סוכן'],
  [210, 'תעודת החזרה'],
  [300, 'חשבונית/חשבונית עסקה'],
  [305, 'חשבונית מס'],
  [310, 'חשבונית ריכוז'],
  [320, 'חשבונית מס/קבלה'],
  [330, 'חשבונית מס זיכוי'],
  [340, 'חשבונית שריון'],
  [345, 'חשבונית סוכן'],
  [400, 'קבלה'],
  [405, 'קבלה על תרומות'],
  [410, 'יציאה מקופה'],
  [420, 'הפקדת בנק'],
  [500, 'הזמנת רכש'],
  [600, 'תעודת משלוח רכש'],
  [610, 'החזרת רכש'],
  [700, 'חשבונית מס רכש'],
  [710, 'זיכוי רכש'],
  [800, 'יתרת פתיחה'],
  [810, 'כניסה כללית למלאי'],
  [820, 'יציאה כללית מהמלאי'],
  [830, 'העברה בין מחסנים'],
  [840, 'עדכון בעקבות ספירה'],
  [900, 'דוח ייצור-כניסה'],
  [910, 'דוח ייצור-יציאה'],
]);
