import { describe, expect, it } from '@jest/globals';
import { exampleDocument } from '@pinkas/testkit';
import { exampleEntry } from '../../test/example-book.js';
import { checkPayments, checkTotals } from './entry-amounts.js';

const messages = (findings: readonly { message: string }[]) => findings.map(({ message }) => message);
const { totals, items } = exampleDocument();
const payment = (amount: number) => ({
  method: 'cash' as const,
  amount,
  date: '2026-06-15',
  reference: null,
  check_number: null,
  check_date: null,
  bank_code: null,
  branch: null,
  account: null,
  card_last_digits: null,
  card_type: null,
});
const state = (paid: number) => ({
  state: { status: 'closed' as const, paid, allocation_number: null, cancelled_at: null },
});

describe('checkTotals', () => {
  it('totals that equal those of the items have no findings, net or gross, with or without a discount', () => {
    expect(checkTotals(exampleEntry())).toEqual([]);
    const gross = exampleEntry({
      prices_include_vat: true,
      items: [{ description: 'x', quantity: 3, unit_price: 39.33, line_total: 117.99, sku: null }],
      discount: { type: 'percent', value: 10 },
      totals: { subtotal: 99.99, discount: 10, vat: 16.2, vat_rate: 18, total: 106.19, currency: 'ILS' },
    });
    expect(checkTotals(gross)).toEqual([]);
  });

  it.each(['subtotal', 'discount', 'vat', 'total'] as const)(
    'a difference of one agora in the %s is found',
    (field) => {
      const changed = exampleEntry({
        totals: { ...totals, [field]: Number((totals[field] + 0.01).toFixed(2)) },
      });
      const [finding] = checkTotals(changed);
      expect(finding).toMatchObject({ check: 'totals', document_id: changed.document.id, number: 1 });
      expect(finding?.message).toContain(
        `its ${field} is ${(totals[field] + 0.01).toFixed(2)}, and its items add up to`,
      );
    },
  );

  it('totals of a changed item or line are found', () => {
    const [item] = items as [(typeof items)[number]];
    expect(messages(checkTotals(exampleEntry({ items: [{ ...item, quantity: 2 }] })))).toEqual([
      'its subtotal is 6000.00, and its items add up to 12,000.00',
      'its vat is 1080.00, and its items add up to 2,160.00',
      'its total is 7080.00, and its items add up to 14,160.00',
      'its line 1 is 6000.00, and its items add up to 12,000.00',
    ]);
    expect(messages(checkTotals(exampleEntry({ items: [{ ...item, line_total: 6000.5 }] })))).toEqual([
      'its line 1 is 6000.50, and its items add up to 6,000.00',
    ]);
  });

  it('items without possible totals are found', () => {
    const entry = exampleEntry({ discount: { type: 'amount', value: 9_999 } });
    expect(messages(checkTotals(entry))).toEqual(['no totals can be computed from its items']);
  });
});

describe('checkPayments', () => {
  const receipt = (amounts: readonly number[], paid: number) =>
    exampleEntry({ type: 'receipt', payments: amounts.map(payment) }, state(paid));

  it('payments add up to the total within one agora', () => {
    expect(checkPayments(receipt([7000, 80], 7080))).toEqual([]);
    expect(checkPayments(receipt([7080.01], 7080.01))).toEqual([]);
    expect(messages(checkPayments(receipt([7080.02], 7080.02)))).toEqual([
      'its payments add up to 7,080.02, and its total is 7080.00',
    ]);
    expect(messages(checkPayments(receipt([], 0)))).toEqual([
      'its payments add up to 0.00, and its total is 7080.00',
    ]);
  });

  it('payments on a type without payments are found', () =>
    expect(messages(checkPayments(exampleEntry({ payments: [payment(5)] }, state(5))))).toEqual([
      'it has payments, which its type does not allow',
    ]));

  it('the paid amount equals the payments and the receipts', () => {
    expect(checkPayments(exampleEntry({}, { ...state(70.8), received: 70.8 }))).toEqual([]);
    expect(messages(checkPayments(exampleEntry({}, { ...state(70.8), received: 70.79 })))).toEqual([
      'its paid amount is 70.80, and 70.79 was received',
    ]);
    expect(messages(checkPayments(receipt([7080], 0)))).toEqual([
      'its paid amount is 0.00, and 7,080.00 was received',
    ]);
  });
});
