import { describe, expect, it } from '@jest/globals';
import type { BookEntry, IssuedDocument } from '@pinkas/contracts';
import { exampleEntry } from '../../test/example-book.js';
import { checkStatus } from './entry-status.js';

type Status = BookEntry['state']['status'];

const messages = (
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
const total = 7080;

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
      expect(messages(type, 'open')).toEqual([]);
    }
    expect(messages('tax_invoice', 'open', { credited: total - 0.01 })).toEqual([]);
  });

  it('a closed document that its type, a receipt, an invoice or credits have closed has no findings', () => {
    for (const type of ['tax_invoice_receipt', 'receipt', 'credit_note', 'donation_receipt'] as const) {
      expect(messages(type, 'closed')).toEqual([]);
    }
    expect(messages('tax_invoice', 'closed', { received: 0.01 })).toEqual([]);
    expect(messages('proforma', 'closed', { received: total })).toEqual([]);
    expect(messages('quote', 'closed', { invoiced: true })).toEqual([]);
    expect(messages('tax_invoice', 'closed', { credited: total })).toEqual([]);
  });

  it('a document that is closed although nothing has closed it is found', () => {
    const found = ['status: it is closed, although nothing has closed it'];
    expect(messages('order', 'closed')).toEqual(found);
    expect(messages('tax_invoice', 'closed', { credited: total - 0.01 })).toEqual(found);
  });

  it('a document that is open although something has closed it is found', () => {
    expect(messages('tax_invoice', 'open', { received: 1 })).toEqual([
      'status: it is open, although a receipt was issued for it',
    ]);
    expect(messages('delivery_note', 'open', { invoiced: true })).toEqual([
      'status: it is open, although it was invoiced',
    ]);
    expect(messages('tax_invoice', 'open', { credited: total })).toEqual([
      'status: it is open, although it was credited in full',
    ]);
    expect(messages('receipt', 'open')).toEqual([
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
    expect(messages('quote', 'cancelled')).toEqual([]);
    expect(messages('tax_invoice', 'cancelled')).toEqual([
      'status: it is cancelled, which its type does not allow',
    ]);
  });
});
