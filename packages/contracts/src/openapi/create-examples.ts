import { type DocumentType } from '@pinkas/domain';
import type { CreateDocument } from '../schema/document.js';

/** The id that the examples give to the tax invoice; a credit note on a real system needs the id of a real one. */
export const exampleInvoiceId = '00000000-0000-4000-8000-000000000007';

/** A person and a company that plainly do not exist, with tax ids whose check digit is right. */
export const person = { name: 'לקוח לדוגמה', email: 'customer@example.com', phone: '050-0000000' };
export const company = {
  name: 'חברה לדוגמה בע"מ',
  tax_id: '777777715',
  legal_type: 'hevra_baam',
  email: 'books@example.com',
  address: 'רחוב לדוגמה 1',
  city: 'תל אביב',
} as const;

/**
 * A request to issue for every type of document. Each can be sent as it is, whatever the VAT rate of the business: where
 * payments must sum to the total, prices are gross. Only the credit note needs the id of a real source in `based_on`.
 */
export const createDocumentExamples: Readonly<Record<DocumentType, CreateDocument>> = {
  quote: {
    type: 'quote',
    customer: person,
    items: [{ description: 'ייעוץ לדוגמה (Consulting)', quantity: 1.5, unit_price: 400 }],
    prices_include_vat: false,
    discount: { type: 'percent', value: 10 },
    title: 'הצעה לדוגמה',
    notes: 'המחירים אינם כוללים מע"מ.',
  },
  order: {
    type: 'order',
    customer: company,
    items: [
      { description: 'מוצר לדוגמה A', quantity: 3, unit_price: 49.9, sku: 'A-1' },
      { description: 'מוצר לדוגמה B', quantity: 0.25, unit_price: 120, sku: 'B-2' },
    ],
    prices_include_vat: true,
    expected_total: 179.7,
    external_ref: 'order-1042',
  },
  delivery_note: {
    type: 'delivery_note',
    customer: company,
    items: [{ description: 'מוצר לדוגמה A', quantity: 3, unit_price: 49.9, sku: 'A-1' }],
    external_ref: 'order-1042',
    send: false,
  },
  return_note: {
    type: 'return_note',
    customer: company,
    items: [{ description: 'מוצר לדוגמה A', quantity: 1, unit_price: 49.9, sku: 'A-1' }],
    external_ref: 'order-1042',
    send: false,
  },
  proforma: {
    type: 'proforma',
    customer: { name: 'Example Ltd', email: 'accounts@example.com', tax_id: '999999998' },
    items: [{ description: 'Example service', quantity: 1, unit_price: 1000 }],
    prices_include_vat: false,
    discount: { type: 'amount', value: 50 },
  },
  tax_invoice: {
    type: 'tax_invoice',
    customer: company,
    items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 6000 }],
    prices_include_vat: false,
    external_ref: 'order-1043',
  },
  tax_invoice_receipt: {
    type: 'tax_invoice_receipt',
    customer: person,
    items: [{ description: 'שירות לדוגמה', quantity: 2, unit_price: 118 }],
    prices_include_vat: true,
    payments: [
      { method: 'credit_card', amount: 200, card_last_digits: '1234', card_type: 'Example' },
      { method: 'cash', amount: 36 },
    ],
    expected_total: 236,
    external_ref: 'order-1044',
  },
  receipt: {
    type: 'receipt',
    customer: company,
    items: [{ description: 'תשלום לדוגמה', quantity: 1, unit_price: 590 }],
    prices_include_vat: true,
    payments: [
      { method: 'check', amount: 500, check_number: '100', bank_code: 12, branch: '600', account: '123456' },
      { method: 'wallet_method_1', amount: 90, reference: 'example-1' },
    ],
  },
  credit_note: {
    type: 'credit_note',
    customer: company,
    items: [{ description: 'זיכוי לדוגמה', quantity: 1, unit_price: 500 }],
    prices_include_vat: false,
    based_on: exampleInvoiceId,
  },
  donation_receipt: {
    type: 'donation_receipt',
    customer: { name: 'תורם לדוגמה', email: 'donor@example.com' },
    items: [{ description: 'תרומה לדוגמה', quantity: 1, unit_price: 180 }],
    prices_include_vat: true,
    payments: [{ method: 'bank_transfer', amount: 180, reference: 'example-2' }],
  },
};
