import { describe, expect, it } from '@jest/globals';
import { checkApproval } from './approval-request.js';

const today = '2026-11-21';

const invoice = {
  invoice_id: '0b9c2b1e-6f5f-4c40-9c36-0f1a5bb7a001',
  invoice_type: 305,
  vat_number: 777777715,
  user_name: 'pinkas',
  invoice_reference_number: '1042',
  customer_vat_number: 514713288,
  customer_name: 'לקוח לדוגמה בע"מ',
  invoice_date: today,
  invoice_issuance_date: today,
  accounting_software_number: 99999999,
  amount_before_discount: 12_000.29,
  discount: 0,
  payment_amount: 12_000.29,
  vat_amount: 2_160.05,
  payment_amount_including_vat: 14_160.34,
  items: [
    { index: 1, description: 'ייעוץ', quantity: 1, price_per_unit: 12_000.29, total_amount: 12_000.29 },
  ],
};

const shapeParams = (change: object) =>
  checkApproval({ ...invoice, ...change }, today).shape.map(({ param }) => param);
const contentCodes = (change: object) =>
  checkApproval({ ...invoice, ...change }, today).content.map(({ code }) => code);

describe('checkApprovalRequest', () => {
  it('a valid request has no errors', () => {
    expect(checkApproval(invoice, today)).toEqual({ shape: [], content: [] });
  });

  it('every missing mandatory field is an error', () => {
    expect(checkApproval({}, today).shape.map(({ param }) => param)).toEqual([
      'invoice_id',
      'invoice_type',
      'vat_number',
      'invoice_reference_number',
      'invoice_date',
      'invoice_issuance_date',
      'accounting_software_number',
      'amount_before_discount',
      'discount',
      'payment_amount',
      'vat_amount',
      'payment_amount_including_vat',
    ]);
  });

  it.each([
    ['a text that is too long', { customer_name: 'א'.repeat(26) }, 'customer_name'],
    ['a number sent as text', { vat_number: '777777715' }, 'vat_number'],
    ['a third decimal', { vat_amount: 0.295 }, 'vat_amount'],
    ['a negative amount', { discount: -1 }, 'discount'],
    ['an amount of 13 digits', { payment_amount: 1e12 }, 'payment_amount'],
    ['a day that does not exist', { invoice_date: '2026-02-30' }, 'invoice_date'],
    ['a type that takes no number', { invoice_type: 400 }, 'invoice_type'],
    ['a reversed key', { id_invoice: 'x' }, 'id_invoice'],
    ['an invalid item', { items: [{ index: 1, description: 'x'.repeat(31) }] }, 'items[0].description'],
    ['an item that is no object', { items: [7] }, 'items[0]'],
  ])('a request with %s has an error at that field', (_what, change, param) => {
    expect(shapeParams(change)).toEqual([param]);
  });

  it('lengths are in characters, so that 25 Hebrew letters fit', () => {
    expect(shapeParams({ customer_name: 'א'.repeat(25) })).toEqual([]);
  });

  it.each([
    ['a VAT number that fails the checksum', { vat_number: 777777716 }, 431],
    ['a customer whose number fails the checksum', { customer_vat_number: 123456789 }, 431],
    ['no user who issued it', { user_name: undefined }, 446],
    ['a date more than a year ago', { invoice_date: '2025-11-01' }, 434],
    ['a date more than 30 days ahead', { invoice_date: '2026-12-22' }, 435],
    ['VAT beside reverse charge', { action: 3 }, 437],
  ])('a request with %s is refused with the code of that error', (_what, change, code) => {
    expect(contentCodes(change)).toEqual([code]);
  });

  it('a VAT number without its leading zero passes the checksum', () => {
    expect(contentCodes({ vat_number: 39337423 })).toEqual([]);
  });
});
