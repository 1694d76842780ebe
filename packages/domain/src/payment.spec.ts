import { describe, expect, it } from '@jest/globals';
import { cashToState } from './cash-rounding.js';
import { daysAfter, debtAgeOf, debtAges, dueDatesOfAge } from './debt-age.js';
import { groupedIban, isIban, plainIban } from './iban.js';
import { addDays } from './israel-calendar.js';
import { dueOn, endOfMonth } from './payment-terms.js';

const cash = (amount: number) => ({ method: 'cash', amount }) as const;
const card = (amount: number) => ({ method: 'credit_card', amount }) as const;

describe('cashToState', () => {
  it.each([
    ['cash that was rounded up', [cash(100)], 9996n, 9996n],
    ['cash that was rounded down', [cash(99.9)], 9995n, 9995n],
    ['cash besides a card', [card(50), cash(50)], 9996n, 4996n],
    ['cash that is right', [cash(99.96)], 9996n, null],
    ['cash that is off by more than it is rounded by', [cash(100)], 9994n, null],
    ['two cash payments', [cash(50), cash(50)], 9996n, null],
    ['no cash', [card(100)], 9996n, null],
    ['cash of which nothing would be left', [card(99.96), cash(0.02)], 9996n, null],
  ] as const)('the cash to state is decided for %s', (_what, payments, total, expected) => {
    expect(cashToState(payments, total)).toBe(expected);
  });
});

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

describe('an IBAN', () => {
  // The examples of the registry of ISO 13616.
  it.each(['IL620108000000099999999', 'GB29NWBK60161331926819', 'DE89370400440532013000'])(
    'an IBAN is %s, whose check digits are right',
    (iban) => {
      expect(isIban(iban)).toBe(true);
    },
  );

  it.each([
    'IL620108000000099999998',
    'IL6201080000000999999990',
    'il620108000000099999999',
    'IL62 0108 0000 0009 9999 999',
    '620108000000099999999',
    '',
  ])('an IBAN is not %p', (text) => {
    expect(isIban(text)).toBe(false);
  });

  it('an IBAN is stored without spaces and printed in groups of four', () => {
    expect(plainIban('il62 0108-0000 0009 9999 999')).toBe('IL620108000000099999999');
    expect(groupedIban('IL620108000000099999999')).toBe('IL62 0108 0000 0009 9999 999');
  });
});

const today = '2026-03-30';

describe('the age of a debt', () => {
  it.each([
    [-400, 'not_due'],
    [0, 'not_due'],
    [1, 'days_1_30'],
    [30, 'days_1_30'],
    [31, 'days_31_60'],
    [60, 'days_31_60'],
    [61, 'days_61_90'],
    [90, 'days_61_90'],
    [91, 'days_over_90'],
    [4000, 'days_over_90'],
  ] as const)('a debt that is %s days late has the age %s', (late, age) => {
    const due = addDays(today, -late);
    expect(daysAfter(due, today)).toBe(late);
    expect(debtAgeOf(due, today)).toBe(age);
  });

  it('every due date is within the dates of its age and of no other, across the change of clocks', () => {
    for (let late = -100; late <= 200; late += 1) {
      const due = addDays(today, -late);
      const within = debtAges.filter((age) => {
        const { from, to } = dueDatesOfAge(age, today);
        return (from === null || from <= due) && (to === null || due <= to);
      });
      expect(within).toEqual([debtAgeOf(due, today)]);
    }
  });
});
