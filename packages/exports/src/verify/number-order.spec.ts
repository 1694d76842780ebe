import { describe, expect, it } from '@jest/globals';
import { exampleDocument } from '@pinkas/testkit';
import { checkOrder, checkSeriesEnd } from './number-order.js';

const numbered = (number: number, change: { date?: string; issued_at?: string } = {}) =>
  exampleDocument({ number, ...change });
const messages = (findings: readonly { check: string; message: string }[]) =>
  findings.map(({ check, message }) => `${check}: ${message}`);

describe('checkOrder', () => {
  it('consecutive numbers from the first on have no findings', () => {
    expect(checkOrder(null, numbered(1), 1)).toEqual([]);
    expect(checkOrder(null, numbered(500), 500)).toEqual([]);
    expect(checkOrder(numbered(1), numbered(2), 1)).toEqual([]);
    expect(
      checkOrder(numbered(1), numbered(2, { date: '2026-06-16', issued_at: '2026-06-16T08:00:00.000Z' }), 1),
    ).toEqual([]);
  });

  it('missing numbers are found: at the beginning, one, several', () => {
    expect(messages(checkOrder(null, numbered(2), 1))).toEqual(['numbers: before it number 1 is missing']);
    expect(messages(checkOrder(numbered(1), numbered(3), 1))).toEqual([
      'numbers: before it number 2 is missing',
    ]);
    expect(messages(checkOrder(numbered(1), numbered(5), 1))).toEqual([
      'numbers: before it the numbers 2 to 4 are missing',
    ]);
  });

  it('a duplicate number and a number before the first are found', () => {
    const first = numbered(7);
    expect(messages(checkOrder(first, numbered(7, { date: '2026-06-14' }), 1))).toEqual([
      `numbers: document ${first.id} has the same number`,
    ]);
    expect(messages(checkOrder(null, numbered(3), 5))).toEqual([
      'numbers: the numbers of its type start at 5',
    ]);
  });

  it('a date and an instant that decrease are found', () => {
    const before = numbered(1);
    expect(messages(checkOrder(before, numbered(2, { date: '2026-06-14' }), 1))).toEqual([
      'dates: its date is 2026-06-14, and number 1 is of 2026-06-15',
    ]);
    expect(messages(checkOrder(before, numbered(2, { issued_at: '2026-06-15T07:59:59.999Z' }), 1))).toEqual([
      'dates: it was issued at 2026-06-15T07:59:59.999Z, and number 1 at 2026-06-15T08:00:00.000Z',
    ]);
  });
});

describe('checkSeriesEnd', () => {
  const series = (next_number: number, last_date = '2026-06-15') => ({
    type: 'tax_invoice' as const,
    first_number: 1,
    next_number,
    last_date,
  });
  const end = (
    last: ReturnType<typeof numbered> | null,
    before: ReturnType<typeof series> | undefined,
    after = before,
    firstNumber = 1,
  ) => messages(checkSeriesEnd(last, { type: 'tax_invoice', before, after }, firstNumber));

  it('a series that continues after the last document has no findings, also when it advanced during the scan', () => {
    expect(end(numbered(4), series(5))).toEqual([]);
    expect(end(numbered(4), series(3), series(9))).toEqual([]);
    expect(end(null, undefined)).toEqual([]);
  });

  it('missing documents at the end of a series are found', () => {
    expect(end(numbered(4), series(6))).toEqual(['numbers: after it number 5 is missing']);
    expect(end(numbered(4), series(8))).toEqual(['numbers: after it the numbers 5 to 7 are missing']);
    expect(end(null, series(12), series(12), 10)).toEqual(['numbers: the numbers 10 to 11 are missing']);
  });

  it('a series that would use a number again, or accept an earlier date, is found', () => {
    expect(end(numbered(4), series(4))).toEqual([
      'numbers: the next number of the series is 4, which is in the book',
    ]);
    expect(end(numbered(4), undefined)).toEqual([
      'numbers: its type has no series, so its number could be used again',
    ]);
    expect(end(numbered(4), series(5, '2026-06-14'))).toEqual([
      'dates: its date is 2026-06-15, and the last date of the series is 2026-06-14',
    ]);
  });
});
