import { describe, expect, it } from '@jest/globals';
import { exampleDocument } from '@pinkas/testkit';
import { exampleEntry } from '../../test/example-book.js';
import { faultsOfPayments, faultsOfTotals } from './entry-amounts.js';

const messages = (faults: readonly { message: string }[]) => faults.map(({ message }) => message);
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

describe('stored totals', () => {
  it('are those of the items, net or gross, with a discount or without', () => {
    expect(faultsOfTotals(exampleEntry())).toEqual([]);
    const gross = exampleEntry({
      prices_include_vat: true,
      items: [{ description: 'x', quantity: 3, unit_price: 39.33, line_total: 117.99, sku: null }],
      discount: { type: 'percent', value: 10 },
      totals: { subtotal: 99.99, discount: 10, vat: 16.2, vat_rate: 18, total: 106.19, currency: 'ILS' },
    });
    expect(faultsOfTotals(gross)).toEqual([]);
  });

  it.each(['subtotal', 'discount', 'vat', 'total'] as const)('are faulty by one agora of the %s', (field) => {
    const changed = exampleEntry({
      totals: { ...totals, [field]: Number((totals[field] + 0.01).toFixed(2)) },
    });
    const [fault] = faultsOfTotals(changed);
    expect(fault).toMatchObject({ check: 'totals', document_id: changed.document.id, number: 1 });
    expect(fault?.message).toContain(
      `its ${field} is ${(totals[field] + 0.01).toFixed(2)}, and its items come to`,
    );
  });

  it('are faulty where an item is another, or a line', () => {
    const [item] = items as [(typeof items)[number]];
    expect(messages(faultsOfTotals(exampleEntry({ items: [{ ...item, quantity: 2 }] })))).toEqual([
      'its subtotal is 6000.00, and its items come to 12,000.00',
      'its vat is 1080.00, and its items come to 2,160.00',
      'its total is 7080.00, and its items come to 14,160.00',
      'its line 1 is 6000.00, and its items come to 12,000.00',
    ]);
    expect(messages(faultsOfTotals(exampleEntry({ items: [{ ...item, line_total: 6000.5 }] })))).toEqual([
      'its line 1 is 6000.50, and its items come to 6,000.00',
    ]);
  });

  it('are faulty where none can follow', () => {
    const entry = exampleEntry({ discount: { type: 'amount', value: 9_999 } });
    expect(messages(faultsOfTotals(entry))).toEqual(['no totals follow from its items']);
  });
});

describe('stored payments', () => {
  const receipt = (amounts: readonly number[], paid: number) =>
    exampleEntry({ type: 'receipt', payments: amounts.map(payment) }, state(paid));

  it('make up the total within one agora', () => {
    expect(faultsOfPayments(receipt([7000, 80], 7080))).toEqual([]);
    expect(faultsOfPayments(receipt([7080.01], 7080.01))).toEqual([]);
    expect(messages(faultsOfPayments(receipt([7080.02], 7080.02)))).toEqual([
      'its payments come to 7,080.02, and its total is 7080.00',
    ]);
    expect(messages(faultsOfPayments(receipt([], 0)))).toEqual([
      'its payments come to 0.00, and its total is 7080.00',
    ]);
  });

  it('stand on no document that bears none', () =>
    expect(messages(faultsOfPayments(exampleEntry({ payments: [payment(5)] }, state(5))))).toEqual([
      'it bears payments, which its type does not',
    ]));

  it('are what stands as paid, with those of the receipts', () => {
    expect(faultsOfPayments(exampleEntry({}, { ...state(70.8), received: 70.8 }))).toEqual([]);
    expect(messages(faultsOfPayments(exampleEntry({}, { ...state(70.8), received: 70.79 })))).toEqual([
      '70.80 stands as paid, and 70.79 was received for it',
    ]);
    expect(messages(faultsOfPayments(receipt([7080], 0)))).toEqual([
      '0.00 stands as paid, and 7,080.00 was received for it',
    ]);
  });
});
