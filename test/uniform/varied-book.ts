import type { CreateDocument } from '@pinkas/contracts';
import { invoice } from '../harness/running-stack.js';

type Payments = NonNullable<CreateDocument['payments']>;

/** A document to issue. `base` is the place in the list of the document that it is based on. */
export interface Planned {
  readonly body: CreateDocument;
  readonly base?: number;
  readonly cancel?: true;
}

const gross = { prices_include_vat: true } as const;
const cash = (amount: number): Payments => [{ method: 'cash', amount }];
const check = (amount: number, check_date: string): Payments[number] => ({
  ...{ method: 'check', amount, check_date, check_number: '5001', bank_code: 12, branch: '600' },
  account: '123456',
});
/** Every means of payment, of the same amount. */
const everyMeans = (amount: number): Payments => [
  { method: 'cash', amount },
  check(amount, '2030-01-31'),
  { method: 'credit_card', amount, card_type: 'ויזה', card_last_digits: '1234' },
  { method: 'bank_transfer', amount, reference: 'A-1' },
  ...([1, 2, 3, 4, 5] as const).map((number) => ({ method: `wallet_method_${number}`, amount }) as const),
];
/** Lines whose prices without VAT are rounded, up and down, a few agorot in a hundred lines. */
const hundredLines = Array.from({ length: 100 }, (_, index) => ({
  description: `פריט ${index + 1}`,
  quantity: [1, 0.3333, 7, 1.5][index % 4] ?? 1,
  unit_price: (1 + (index % 9) * 13) / 100,
  ...(index % 3 === 0 && { sku: `מק"ט-${index % 6}` }),
}));
const nameless = { customer: { name: 'Private customer – ₪' } } as const;

/** All ten types, with discounts, credits, every means of payment, cancelled ones, and customers with and without ids. */
export const variedBook: readonly Planned[] = [
  { body: invoice(100, { type: 'quote' }) },
  { body: invoice(100, { type: 'order' }), base: 0 },
  { body: invoice(33.33, { type: 'delivery_note', ...nameless }), base: 1 },
  { body: invoice(33.33, { type: 'return_note' }), base: 2 },
  { body: invoice(99.99, { type: 'proforma', due_date: '2099-12-31' }), base: 0 },
  { body: invoice(99.9, { ...gross, discount: { type: 'percent', value: 5 } }) },
  { body: invoice(10, { ...gross, items: hundredLines }) },
  { body: invoice(10, { items: hundredLines, discount: { type: 'amount', value: 1.23 } }) },
  { body: invoice(900, { type: 'tax_invoice_receipt', payments: everyMeans(118) }) },
  { body: invoice(20, { type: 'credit_note' }), base: 5 },
  { body: invoice(900, { type: 'credit_note' }), base: 8 },
  { body: invoice(50, { type: 'receipt', ...gross, payments: cash(50) }), base: 5 },
  {
    body: invoice(500, {
      type: 'receipt',
      ...gross,
      payments: [1, 2, 3, 4, 5].map((month) => check(100, `2030-0${month}-01`)),
    }),
    base: 4,
  },
  { body: invoice(590, { type: 'receipt', ...gross, ...nameless, payments: cash(590) }) },
  {
    body: invoice(250, {
      type: 'donation_receipt',
      ...{ ...gross, ...nameless },
      foreign_donor: { country: 'US' },
      payments: cash(250),
    }),
  },
  { body: invoice(10, { discount: { type: 'percent', value: 100 } }) },
  { body: invoice(0.01, { ...gross, ...nameless }) },
  { body: invoice(70, { type: 'order' }), cancel: true },
  { body: invoice(70, { type: 'delivery_note' }), cancel: true },
  { body: invoice(70, { type: 'quote' }), cancel: true },
];
