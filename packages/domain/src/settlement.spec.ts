import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { documentTypes } from './document-types.js';
import { fromShekels, toShekels } from './money/agorot.js';
import {
  amountOfNote,
  isSameCustomer,
  type SettlementFacts,
  settlementNotes,
  settlementOf,
} from './settlement.js';

const document = (type: (typeof documentTypes)[number] = 'tax_invoice') => ({
  type,
  totals: { total: 1180 },
});
const settlement = (facts: Partial<SettlementFacts>, type?: (typeof documentTypes)[number]) =>
  settlementOf(document(type), { status: 'open', paid: 0, ...facts });

describe('settlementOf', () => {
  it.each([
    ['nothing', {}, 1180, 'unpaid', []],
    ['a credit of a part', { credited: 180 }, 1000, 'unpaid', []],
    ['a receipt of an agora', { paid: 0.01 }, 1179.99, 'partly_paid', ['partly_paid']],
    ['receipts of all but an agora', { paid: 1179.99 }, 0, 'settled', []],
    ['receipts of all but two agorot', { paid: 1179.98 }, 0.02, 'partly_paid', ['partly_paid']],
    ['receipts and credits of all but an agora', { paid: 1000, credited: 179.99 }, 0, 'settled', []],
    ['credits of all but an agora', { credited: 1179.99 }, 0, 'credited', []],
    ['credits of all but two agorot', { credited: 1179.98 }, 0.02, 'unpaid', []],
    ['a set-off of a part', { set_off: 180 }, 1000, 'partly_paid', ['partly_paid']],
    ['a set-off of the total', { set_off: 1180 }, 0, 'settled', []],
    ['a set-off of all but an agora', { set_off: 1179.99 }, 0, 'settled', []],
    [
      'a receipt, a set-off and a credit of the total',
      { paid: 500, set_off: 500, credited: 180 },
      0,
      'settled',
      [],
    ],
    ['a credit after the set-off', { set_off: 1180, credited: 180 }, -180, 'overpaid', []],
    ['receipts of the total', { paid: 1180 }, 0, 'settled', []],
    ['receipts and credits of the total', { paid: 1000.01, credited: 179.99 }, 0, 'settled', []],
    ['credits of the total', { credited: 1180 }, 0, 'credited', []],
    ['receipts of an agora beyond the total', { paid: 1180.01 }, 0, 'settled', []],
    ['receipts beyond the total', { paid: 1180.02 }, -0.02, 'overpaid', ['overpaid']],
    [
      'a receipt after a set-off of the total',
      { paid: 1180, set_off: 1180 },
      -1180,
      'overpaid',
      ['overpaid'],
    ],
    ['set-offs beyond the total', { set_off: 1180.02 }, -0.02, 'overpaid', ['overpaid']],
    ['a credit after the payment', { paid: 1180, credited: 180 }, -180, 'overpaid', []],
    ['credits beyond the total', { credited: 5900 }, -4720, 'overcredited', ['overcredited']],
    [
      'both beyond the total',
      { paid: 6190, credited: 1181 },
      -6191,
      'overcredited',
      ['overcredited', 'overpaid'],
    ],
    ['a receipt of another customer', { paid: 1180, other_customers: 1 }, 0, 'settled', ['other_customer']],
  ] as const)('a tax invoice of 1,180.00 after %s', (_what, facts, balance, state, notes) => {
    for (const status of ['open', 'closed'] as const) {
      expect(settlement({ ...facts, status })).toEqual({ balance: fromShekels(balance), state, notes });
    }
  });

  it('a total of zero leaves nothing to pay, and is neither paid nor credited', () => {
    const free = { type: 'tax_invoice', totals: { total: 0 } } as const;
    for (const credited of [0, undefined]) {
      expect(settlementOf(free, { status: 'closed', paid: 0, credited })).toEqual({
        balance: 0n,
        state: 'nothing',
        notes: [],
      });
    }
  });

  it('an agora is to be paid of a total of an agora of which nothing was paid', () => {
    const small = { type: 'tax_invoice', totals: { total: 0.01 } } as const;
    expect(settlementOf(small, { status: 'open', paid: 0 })).toMatchObject({ balance: 1n, state: 'unpaid' });
    expect(settlementOf(small, { status: 'closed', paid: 0.01 }).state).toBe('settled');
  });

  it('a proforma has a balance until it is invoiced or cancelled', () => {
    const part = { paid: 180, status: 'closed' } as const;
    expect(settlement(part, 'proforma')).toMatchObject({ balance: 100_000n, notes: ['partly_paid'] });
    expect(settlement({ ...part, invoices: 1 }, 'proforma')).toEqual({
      balance: null,
      state: null,
      notes: [],
    });
    expect(settlement({ ...part, status: 'cancelled' }, 'proforma').balance).toBeNull();
  });

  it('a source of two invoices is noted whatever its type, and a source of one is not', () => {
    for (const type of ['quote', 'order', 'delivery_note', 'proforma'] as const) {
      expect(settlement({ invoices: 2 }, type).notes).toEqual(['invoiced_twice']);
      expect(settlement({ invoices: 1 }, type).notes).toEqual([]);
    }
  });

  it('a tax invoice / receipt has no balance, and is noted where it is credited beyond its total', () => {
    // Payments may differ from the total by an agora.
    expect(settlement({ paid: 1180.01 }, 'tax_invoice_receipt')).toEqual({
      balance: null,
      state: null,
      notes: [],
    });
    expect(settlement({ paid: 1180, credited: 1180.01 }, 'tax_invoice_receipt').notes).toEqual([
      'overcredited',
    ]);
  });

  const amount = fc.integer({ min: 0, max: 300_000 }).map((agorot) => agorot / 100);
  const facts = fc.record({
    type: fc.constantFrom(...documentTypes),
    total: amount,
    status: fc.constantFrom('open' as const, 'closed' as const),
    paid: amount,
    credited: amount,
    set_off: amount,
    invoices: fc.nat(3),
    other_customers: fc.nat(2),
  });

  it('a balance, where there is one, is total - receipts - set-offs - credits but for an agora, whatever the status', () => {
    fc.assert(
      fc.property(facts, ({ type, total, ...state }) => {
        const { balance, ...others } = settlementOf({ type, totals: { total } }, state);
        const isPayable = type === 'tax_invoice' || type === 'proforma';
        expect(balance === null).toBe(!isPayable || state.invoices > 0);
        expect(others.state === null).toBe(balance === null);
        if (balance !== null) {
          const parts = [total, -state.paid, -state.set_off, -state.credited].map((part) =>
            Math.round(part * 100),
          );
          const left = parts.reduce((sum, part) => sum + part, 0);
          expect([left, Math.abs(left) === 1 ? 0 : left]).toContain(Number(balance));
          expect(fromShekels(toShekels(balance))).toBe(balance);
          expect(['settled', 'credited', 'nothing'].includes(others.state ?? '')).toBe(balance === 0n);
          expect(others.notes.includes('partly_paid')).toBe(others.state === 'partly_paid');
        }
        const other = state.status === 'open' ? 'closed' : 'open';
        expect(settlementOf({ type, totals: { total } }, { ...state, status: other })).toEqual({
          balance,
          ...others,
        });
        expect(others.notes).toEqual(settlementNotes.filter((note) => others.notes.includes(note)));
      }),
    );
  });
});

describe('amountOfNote', () => {
  it.each([
    ['overpaid', { paid: 6190 }, 501_000n],
    ['overpaid', { paid: 1180, set_off: 180 }, 18_000n],
    ['overpaid', { paid: 1190, set_off: 180, status: 'cancelled' }, 1_000n],
    ['overcredited', { credited: 5900 }, 472_000n],
    ['partly_paid', { paid: 0.01, credited: 179.99 }, 100_000n],
    ['invoiced_twice', { invoices: 2 }, null],
    ['other_customer', { other_customers: 1 }, null],
  ] as const)('the note %s is about an amount', (note, facts, amount) => {
    expect(amountOfNote(note, document(), { status: 'open', paid: 0, ...facts })).toBe(amount);
  });
});

describe('isSameCustomer', () => {
  it('a card is one customer, and so are two cards of one tax id', () => {
    const customer = { id: 'a', tax_id: null };
    expect(isSameCustomer(customer, { id: 'a', tax_id: '514713288' })).toBe(true);
    expect(isSameCustomer({ id: 'a', tax_id: '514713288' }, { id: 'b', tax_id: '514713288' })).toBe(true);
    expect(isSameCustomer({ id: 'a', tax_id: '514713288' }, { id: 'b', tax_id: '777777723' })).toBe(false);
    expect(isSameCustomer(customer, { id: 'b', tax_id: null })).toBe(false);
  });
});
