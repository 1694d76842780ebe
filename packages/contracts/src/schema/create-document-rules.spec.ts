import { describe, expect, it } from '@jest/globals';
import { createDocumentErrors } from './create-document-rules.js';
import type { CreateDocument } from './document.js';

const body = (change: Record<string, unknown>): Record<string, unknown> => ({
  type: 'tax_invoice',
  customer: { name: 'לקוח לדוגמה' },
  items: [{ description: 'שירות', quantity: 1, unit_price: 10 }],
  ...change,
});
const paths = (change: Record<string, unknown>) =>
  createDocumentErrors(body(change)).map((error) => error.path);
const item = (change: Record<string, unknown>) => ({
  items: [{ description: 'שירות', quantity: 1, unit_price: 10, ...change }],
});
const payment = (method: CreateDocument['type'] | string, extra: object) => ({
  payments: [{ method, amount: 1, ...extra }],
});

describe('createDocumentErrors', () => {
  it('a valid request has no errors', () => {
    expect(paths({ date: '2026-06-15', due_date: '2026-06-15', expected_total: 11.8 })).toEqual([]);
  });

  it('a quantity has at most four decimals and an amount two, counted as written', () => {
    expect(paths(item({ quantity: 0.1234, unit_price: 0.07 }))).toEqual([]);
    expect(paths(item({ quantity: 0.12345 }))).toEqual(['/items/0/quantity']);
    expect(paths(item({ unit_price: 1.005 }))).toEqual(['/items/0/unit_price']);
    expect(paths(item({ quantity: 1e-5 }))).toEqual(['/items/0/quantity']);
    expect(paths({ expected_total: 0.001 })).toEqual(['/expected_total']);
    expect(paths({ payments: [{ method: 'cash', amount: 1.001 }] })).toEqual(['/payments/0/amount']);
  });

  it('the amount of a discount may have any number of decimals, since it is rounded', () => {
    expect(paths({ discount: { type: 'amount', value: 1.005 } })).toEqual([]);
  });

  it('a due date belongs to a tax invoice or a proforma and does not precede the date', () => {
    expect(paths({ type: 'proforma', due_date: '2026-07-01' })).toEqual([]);
    expect(paths({ type: 'receipt', due_date: '2026-07-01' })).toEqual(['/due_date']);
    expect(paths({ date: '2026-06-15', due_date: '2026-06-14' })).toEqual(['/due_date']);
    expect(paths({ due_date: '1999-01-01' })).toEqual([]);
  });

  it.each([
    ['cash', {}],
    ['check', { check_number: '1', check_date: '2026-06-15', bank_code: 12, branch: '1', account: '2' }],
    ['credit_card', { card_last_digits: '1234', card_type: 'visa' }],
    ['bank_transfer', { reference: 'r' }],
    ['wallet_method_1', { reference: 'r' }],
    ['wallet_method_5', { reference: 'r' }],
  ])('a payment by %s takes its own fields', (method, extra) =>
    expect(paths(payment(method, extra))).toEqual([]),
  );

  it.each([
    ['cash', { reference: 'r' }, '/payments/0/reference'],
    ['check', { reference: 'r' }, '/payments/0/reference'],
    ['check', { card_last_digits: '1234' }, '/payments/0/card_last_digits'],
    ['bank_transfer', { bank_code: 12 }, '/payments/0/bank_code'],
    ['wallet_method_2', { check_date: '2026-06-15' }, '/payments/0/check_date'],
  ])('a payment by %s takes no field of another method: %j', (method, extra, path) =>
    expect(paths(payment(method, extra))).toEqual([path]),
  );

  it('a name or description of white space only is an error', () => {
    expect(paths({ customer: { name: ' \u00a0\n' } })).toEqual(['/customer/name']);
    expect(paths({ customer: { name: ' א ' } })).toEqual(['/customer/name']);
    expect(paths(item({ description: '\t' }))).toEqual(['/items/0/description']);
  });

  it('text that cannot be stored is an error at any depth', () => {
    expect(paths({ title: 'a\u0000' })).toEqual(['/title']);
    expect(paths({ customer: { name: 'ab', city: '\ud83d' } })).toEqual(['/customer/city']);
    expect(paths({ notes: '😀' })).toEqual([]);
  });

  it.each([null, 'x', 7, [], [[]], { items: 'x', payments: [null], customer: null, due_date: 7, type: 7 }])(
    'the value %p throws nothing',
    (value) => expect(createDocumentErrors(value)).toEqual([]),
  );
});
