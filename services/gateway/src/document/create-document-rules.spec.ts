import { describe, expect, it } from '@jest/globals';
import type { CreateDocument } from '@pinkas/contracts';
import { createDocumentFaults } from './create-document-rules.js';

const body = (change: Record<string, unknown>): Record<string, unknown> => ({
  type: 'tax_invoice',
  customer: { name: 'לקוח לדוגמה' },
  items: [{ description: 'שירות', quantity: 1, unit_price: 10 }],
  ...change,
});
const paths = (change: Record<string, unknown>) =>
  createDocumentFaults(body(change)).map((fault) => fault.path);
const item = (change: Record<string, unknown>) => ({
  items: [{ description: 'שירות', quantity: 1, unit_price: 10, ...change }],
});
const payment = (method: CreateDocument['type'] | string, extra: object) => ({
  payments: [{ method, amount: 1, ...extra }],
});

describe('what the schema of a document cannot say', () => {
  it('finds nothing in a good request', () => {
    expect(paths({ date: '2026-06-15', due_date: '2026-06-15', expected_total: 11.8 })).toEqual([]);
  });

  it('takes four decimals of a quantity and two of an amount, as they are written', () => {
    expect(paths(item({ quantity: 0.1234, unit_price: 0.07 }))).toEqual([]);
    expect(paths(item({ quantity: 0.12345 }))).toEqual(['/items/0/quantity']);
    expect(paths(item({ unit_price: 1.005 }))).toEqual(['/items/0/unit_price']);
    expect(paths(item({ quantity: 1e-5 }))).toEqual(['/items/0/quantity']);
    expect(paths({ expected_total: 0.001 })).toEqual(['/expected_total']);
    expect(paths({ payments: [{ method: 'cash', amount: 1.001 }] })).toEqual(['/payments/0/amount']);
  });

  it('leaves the decimals of a discount alone: its amount is rounded', () => {
    expect(paths({ discount: { type: 'amount', value: 1.005 } })).toEqual([]);
  });

  it('takes a due date on a tax invoice or a proforma only, and none before the date', () => {
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
  ])('gives %s its own fields', (method, extra) => expect(paths(payment(method, extra))).toEqual([]));

  it.each([
    ['cash', { reference: 'r' }, '/payments/0/reference'],
    ['check', { reference: 'r' }, '/payments/0/reference'],
    ['check', { card_last_digits: '1234' }, '/payments/0/card_last_digits'],
    ['bank_transfer', { bank_code: 12 }, '/payments/0/bank_code'],
    ['wallet_method_2', { check_date: '2026-06-15' }, '/payments/0/check_date'],
  ])('gives %s no field of another method', (method, extra, path) =>
    expect(paths(payment(method, extra))).toEqual([path]),
  );

  it('does not count white space as a name or a description', () => {
    expect(paths({ customer: { name: ' \u00a0\n' } })).toEqual(['/customer/name']);
    expect(paths({ customer: { name: ' א ' } })).toEqual(['/customer/name']);
    expect(paths(item({ description: '\t' }))).toEqual(['/items/0/description']);
  });

  it('refuses text that cannot be stored, wherever it stands', () => {
    expect(paths({ title: 'a\u0000' })).toEqual(['/title']);
    expect(paths({ customer: { name: 'ab', city: '\ud83d' } })).toEqual(['/customer/city']);
    expect(paths({ notes: '😀' })).toEqual([]);
  });

  it.each([null, 'x', 7, [], [[]], { items: 'x', payments: [null], customer: null, due_date: 7, type: 7 }])(
    'takes %p without throwing',
    (value) => expect(createDocumentFaults(value)).toEqual([]),
  );
});
