import { describe, expect, it } from '@jest/globals';
import { exampleEntry } from '../../test/example-book.js';
import { notesOn } from './entry-notes.js';

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
