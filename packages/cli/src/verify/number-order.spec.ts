import { describe, expect, it } from '@jest/globals';
import { exampleDocument } from '@pinkas/testkit';
import { faultsOfEnd, faultsOfOrder } from './number-order.js';

const numbered = (number: number, change: { date?: string; issued_at?: string } = {}) =>
  exampleDocument({ number, ...change });
const messages = (faults: readonly { check: string; message: string }[]) =>
  faults.map(({ check, message }) => `${check}: ${message}`);

describe('the order of the numbers', () => {
  it('holds for numbers that follow each other from the first on, on one day or later ones', () => {
    expect(faultsOfOrder(null, numbered(1), 1)).toEqual([]);
    expect(faultsOfOrder(null, numbered(500), 500)).toEqual([]);
    expect(faultsOfOrder(numbered(1), numbered(2), 1)).toEqual([]);
    expect(
      faultsOfOrder(
        numbered(1),
        numbered(2, { date: '2026-06-16', issued_at: '2026-06-16T08:00:00.000Z' }),
        1,
      ),
    ).toEqual([]);
  });

  it('finds what is missing: at the beginning, one, several', () => {
    expect(messages(faultsOfOrder(null, numbered(2), 1))).toEqual(['numbers: before it number 1 is missing']);
    expect(messages(faultsOfOrder(numbered(1), numbered(3), 1))).toEqual([
      'numbers: before it number 2 is missing',
    ]);
    expect(messages(faultsOfOrder(numbered(1), numbered(5), 1))).toEqual([
      'numbers: before it the numbers 2 to 4 are missing',
    ]);
  });

  it('finds a number that stands twice, and one before the first', () => {
    const first = numbered(7);
    expect(messages(faultsOfOrder(first, numbered(7, { date: '2026-06-14' }), 1))).toEqual([
      `numbers: the number also stands on document ${first.id}`,
    ]);
    expect(messages(faultsOfOrder(null, numbered(3), 5))).toEqual([
      'numbers: the numbers of its type begin at 5',
    ]);
  });

  it('finds a date and an instant that fall', () => {
    const before = numbered(1);
    expect(messages(faultsOfOrder(before, numbered(2, { date: '2026-06-14' }), 1))).toEqual([
      'dates: its date is 2026-06-14, and number 1 is of 2026-06-15',
    ]);
    expect(
      messages(faultsOfOrder(before, numbered(2, { issued_at: '2026-06-15T07:59:59.999Z' }), 1)),
    ).toEqual(['dates: it was issued at 2026-06-15T07:59:59.999Z, and number 1 at 2026-06-15T08:00:00.000Z']);
  });
});

describe('the end of the numbers', () => {
  const series = (next_number: number, last_date = '2026-06-15') => ({
    type: 'tax_invoice' as const,
    next_number,
    last_date,
  });
  const end = (
    last: ReturnType<typeof numbered> | null,
    before: ReturnType<typeof series> | undefined,
    after = before,
    firstNumber = 1,
  ) => messages(faultsOfEnd(last, { type: 'tax_invoice', before, after }, firstNumber));

  it('holds where the series goes on with the next, also when it went on meanwhile', () => {
    expect(end(numbered(4), series(5))).toEqual([]);
    expect(end(numbered(4), series(3), series(9))).toEqual([]);
    expect(end(null, undefined)).toEqual([]);
  });

  it('finds that the last documents are missing, or all of them', () => {
    expect(end(numbered(4), series(6))).toEqual(['numbers: after it number 5 is missing']);
    expect(end(numbered(4), series(8))).toEqual(['numbers: after it the numbers 5 to 7 are missing']);
    expect(end(null, series(12), series(12), 10)).toEqual(['numbers: the numbers 10 to 11 are missing']);
  });

  it('finds a series that would give a number of the book again, or a date before its last', () => {
    expect(end(numbered(4), series(4))).toEqual(['numbers: the series goes on with 4, which is in the book']);
    expect(end(numbered(4), undefined)).toEqual([
      'numbers: its type has no series, so that its number could be given again',
    ]);
    expect(end(numbered(4), series(5, '2026-06-14'))).toEqual([
      'dates: its date is 2026-06-15, and the series takes 2026-06-14 for the last one',
    ]);
  });
});
