import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { BookEntry, IssuedDocument } from '@pinkas/contracts';
import { exampleDocument } from '@pinkas/testkit';
import { exampleEntry } from '../../test/example-book.js';
import { checkPayments, checkTotals } from './entry-amounts.js';
import { checkLinks } from './entry-links.js';
import { notesOn } from './entry-notes.js';
import { checkStatus } from './entry-status.js';

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

const source = { id: randomUUID(), type: 'quote', number: 3, date: '2026-06-01' } as const;
const linkMessages = (...args: Parameters<typeof exampleEntry>) =>
  checkLinks(exampleEntry(...args)).map(({ check, message }) => `${check}: ${message}`);

describe('checkLinks', () => {
  it('matching links, or none, have no findings', () => {
    expect(linkMessages({ based_on: source }, { source })).toEqual([]);
    expect(linkMessages({ based_on: null }, { source: null })).toEqual([]);
  });

  it('a source that is missing, different or not named is found', () => {
    expect(linkMessages({ based_on: source }, { source: null })).toEqual([
      'links: the quote 3 that it is based on is not linked, or not in the book',
    ]);
    for (const change of [{ id: randomUUID() }, { number: 4 }, { type: 'order' as const }]) {
      expect(linkMessages({ based_on: source }, { source: { ...source, ...change } })).toHaveLength(1);
    }
    expect(linkMessages({ based_on: source }, { source: { ...source, number: 4 } })).toEqual([
      'links: it names the quote 3 as its source, and is linked to the quote 4',
    ]);
    expect(linkMessages({ based_on: source }, { source: { ...source, date: '2026-06-02' } })).toEqual([
      'links: it names 2026-06-01 as the date of its source, which is of 2026-06-02',
    ]);
    expect(linkMessages({ based_on: null }, { source })).toEqual([
      'links: it is linked to a source that it does not name',
    ]);
  });

  it('a source that the type cannot have, or that it lacks, is found', () => {
    expect(linkMessages({ type: 'receipt', based_on: source }, { source })).toEqual([
      'links: a receipt cannot be based on a quote',
    ]);
    expect(linkMessages({ type: 'credit_note', based_on: null }, { source: null })).toEqual([
      'links: it must be based on a document, and is not',
    ]);
  });
});

const entry = exampleEntry();
const notesOf = (state: Partial<typeof entry.state>) =>
  notesOn({ ...entry, state: { ...entry.state, ...state } }).map(({ note, message }) => [note, message]);

describe('notesOn', () => {
  it.each([
    [{ paid: 0.01 }, 'partly_paid', 'it is paid in part, and 7,079.99 is left to pay'],
    [{ paid: 7080.02 }, 'overpaid', 'it is paid beyond its total, by 0.02'],
    [{ credited: 8080 }, 'overcredited', 'it is credited beyond its total, by 1,000.00'],
    [{ invoices: 2 }, 'invoiced_twice', 'more than one invoice is based on it'],
    [
      { other_customers: 1 },
      'other_customer',
      'a receipt or a credit note that is based on it names another customer',
    ],
    [
      { undeductible_vat: 1080 },
      'number_missing',
      'it has no allocation number, since the business was not connected: its buyer cannot deduct VAT of 1,080.00',
    ],
  ] as const)('an invoice of 7,080.00 with %j has a note', (state, note, message) => {
    expect(notesOf(state)).toEqual([[note, message]]);
  });

  it('an invoice that is unpaid, or paid and credited in full, has no note', () => {
    expect(notesOf({})).toEqual([]);
    expect(notesOf({ status: 'closed', paid: 7000, credited: 80 })).toEqual([]);
  });
});

type Status = BookEntry['state']['status'];

const statusMessages = (
  type: IssuedDocument['type'],
  status: Status,
  change: Partial<Pick<BookEntry, 'received' | 'invoiced' | 'credited'>> = {},
) => {
  const state = { status, paid: 0, allocation_number: null, cancelled_at: null };
  return checkStatus(exampleEntry({ type }, { state, ...change })).map(
    ({ check, message }) => `${check}: ${message}`,
  );
};
/** The total of the example document. */
const statusTotal = 7080;

describe('checkStatus', () => {
  it('a document that is open and that nothing has closed has no findings', () => {
    for (const type of [
      'quote',
      'order',
      'delivery_note',
      'return_note',
      'proforma',
      'tax_invoice',
    ] as const) {
      expect(statusMessages(type, 'open')).toEqual([]);
    }
    expect(statusMessages('tax_invoice', 'open', { credited: statusTotal - 0.01 })).toEqual([]);
  });

  it('a closed document that its type, a receipt, an invoice or credits have closed has no findings', () => {
    for (const type of ['tax_invoice_receipt', 'receipt', 'credit_note', 'donation_receipt'] as const) {
      expect(statusMessages(type, 'closed')).toEqual([]);
    }
    expect(statusMessages('tax_invoice', 'closed', { received: 0.01 })).toEqual([]);
    expect(statusMessages('proforma', 'closed', { received: statusTotal })).toEqual([]);
    expect(statusMessages('quote', 'closed', { invoiced: true })).toEqual([]);
    expect(statusMessages('tax_invoice', 'closed', { credited: statusTotal })).toEqual([]);
  });

  it('a document that is closed although nothing has closed it is found', () => {
    const found = ['status: it is closed, although nothing has closed it'];
    expect(statusMessages('order', 'closed')).toEqual(found);
    expect(statusMessages('tax_invoice', 'closed', { credited: statusTotal - 0.01 })).toEqual(found);
  });

  it('a document that is open although something has closed it is found', () => {
    expect(statusMessages('tax_invoice', 'open', { received: 1 })).toEqual([
      'status: it is open, although a receipt was issued for it',
    ]);
    expect(statusMessages('delivery_note', 'open', { invoiced: true })).toEqual([
      'status: it is open, although it was invoiced',
    ]);
    expect(statusMessages('tax_invoice', 'open', { credited: statusTotal })).toEqual([
      'status: it is open, although it was credited in full',
    ]);
    expect(statusMessages('receipt', 'open')).toEqual([
      'status: it is open, although a receipt is closed from its issue on',
    ]);
  });

  it('a document of a total of zero is closed from its issue on where its type asks for a payment', () => {
    const of = (type: IssuedDocument['type'], status: Status) => {
      const entry = exampleEntry(
        { type },
        { state: { status, paid: 0, allocation_number: null, cancelled_at: null } },
      );
      const { document } = entry;
      const free = { ...document, totals: { ...document.totals, total: 0 } };
      return checkStatus({ ...entry, document: free }).map(({ message }) => message);
    };
    for (const type of ['tax_invoice', 'proforma'] as const) {
      expect(of(type, 'closed')).toEqual([]);
      expect(of(type, 'open')).toEqual(['it is open, although nothing was to be paid of it']);
    }
    expect(of('delivery_note', 'open')).toEqual([]);
  });

  it('a cancelled document is found where its type cannot be cancelled', () => {
    expect(statusMessages('quote', 'cancelled')).toEqual([]);
    expect(statusMessages('tax_invoice', 'cancelled')).toEqual([
      'status: it is cancelled, which its type does not allow',
    ]);
  });
});
