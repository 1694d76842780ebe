import { describe, expect, it } from '@jest/globals';
import { dueOn, endOfMonth } from './payment-terms.js';

describe('payment terms', () => {
  it.each([
    ['2026-01-01', '2026-01-31'],
    ['2026-02-28', '2026-02-28'],
    ['2028-02-01', '2028-02-29'],
    ['2100-02-10', '2100-02-28'],
    ['2026-04-30', '2026-04-30'],
    ['2026-12-15', '2026-12-31'],
  ])('the month of %s ends on %s', (day, last) => {
    expect(endOfMonth(day)).toBe(last);
  });

  it.each([
    ['2026-01-15', 30, '2026-03-02'],
    ['2028-01-15', 30, '2028-03-01'],
    ['2026-01-31', 30, '2026-03-02'],
    ['2026-02-01', 60, '2026-04-29'],
    ['2026-11-02', 0, '2026-11-30'],
    ['2026-12-31', 90, '2027-03-31'],
  ])('a document of %s is due %i days after the end of its month on %s', (date, days, due) => {
    expect(dueOn(date, { days, from: 'end_of_month' })).toBe(due);
  });

  it('a document is due so many days after its date where the terms count from it', () => {
    expect(dueOn('2028-02-01', { days: 30, from: 'date' })).toBe('2028-03-02');
    expect(dueOn('2026-12-15', { days: 0, from: 'date' })).toBe('2026-12-15');
  });
});
