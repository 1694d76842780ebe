import type { DocumentType } from '@pinkas/domain';
import type { Words } from './language.js';

const toPay = { he: 'סה"כ לתשלום', en: 'Total due' };
const received = { he: 'סה"כ התקבל', en: 'Total received' };
const sum = { he: 'סה"כ', en: 'Total' };

/** What the total of a document is called, by its type: on its page, on its PDF, and before it is issued. */
export const totalWords: Readonly<Record<DocumentType, Words>> = {
  quote: sum,
  order: sum,
  delivery_note: sum,
  return_note: sum,
  proforma: toPay,
  tax_invoice: toPay,
  tax_invoice_receipt: received,
  receipt: received,
  credit_note: { he: 'סה"כ זיכוי', en: 'Total credited' },
  donation_receipt: { he: 'סה"כ תרומה', en: 'Total donated' },
};

/** Tax that a customer has withheld at source, and what it settles together with what was received. */
export const withheldWords = {
  withheld: { he: 'ניכוי מס במקור', en: 'Tax withheld at source' },
  settled: { he: 'סה"כ נפרע', en: 'Total settled' },
} as const satisfies Record<string, Words>;
