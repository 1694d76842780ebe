import { describe, expect, it } from '@jest/globals';
import { daysAfter, debtAgeOf, debtAges, dueDatesOfAge } from './debt-age.js';
import { addDays } from './israel-calendar.js';

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
