import { type UniformDocument } from '../src/uniform/document-records.js';
import { type UniformRun } from '../src/uniform/uniform-files.js';

/** A run of an example, whose records the tests write by hand. */
export const exampleRun: UniformRun = {
  business: {
    taxId: '514293711',
    isCompany: true,
    name: 'עסק לדוגמה בע"מ',
    address: 'רחוב הדוגמה 1',
    city: 'תל אביב',
  },
  software: {
    registration: '99999999',
    name: 'Pinkas',
    version: '0.2.0',
    vendorTaxId: '514293711',
    vendorName: 'עסק לדוגמה בע"מ',
  },
  from: '2026-01-01',
  to: '2026-12-31',
  began: { day: '2027-01-05', time: '0907' },
  primaryId: '123456789012345',
  path: 'OPENFRMT\\51429371.27\\01050907',
  charset: 'iso-8859-8',
};

/** A document of the run. */
export const exampleUniformDocument = (change: Partial<UniformDocument>): UniformDocument => ({
  type: 'tax_invoice',
  number: 1042,
  date: '2026-06-15',
  due_date: null,
  customer: {
    id: '00000000-0000-4000-8000-123456789abc',
    name: 'לקוח לדוגמה',
    tax_id: '777777715',
    phone: '050-123 4567',
    address: 'דרך השלום 7',
    city: 'חיפה',
  },
  items: [{ description: 'שירות', quantity: 1.5, unit_price: 100, line_total: 150, sku: null }],
  prices_include_vat: false,
  payments: [],
  totals: { subtotal: 150, discount: 0, vat: 27, vat_rate: 18, total: 177 },
  based_on: null,
  produced: { day: '2026-06-15', time: '1403' },
  cancelled: false,
  ...change,
});

/** Of a payment, all but its means and amount. */
export const examplePayment = {
  date: '2026-06-16',
  check_number: null,
  check_date: null,
  bank_code: null,
  branch: null,
  account: null,
  card_type: null,
} as const;
