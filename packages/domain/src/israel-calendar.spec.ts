import { describe, expect, it } from '@jest/globals';
import { addDays, dayInIsrael, isCalendarDate, nextDayInIsrael } from './israel-calendar.js';

describe('dayInIsrael', () => {
  it.each([
    ['2026-01-15T21:59:59Z', '2026-01-15'],
    ['2026-01-15T22:00:00Z', '2026-01-16'],
    ['2026-06-15T20:59:59Z', '2026-06-15'],
    ['2026-06-15T21:00:00Z', '2026-06-16'],
  ])('the instant %s lies on %s in Israel', (instant, day) => {
    expect(dayInIsrael(new Date(instant))).toBe(day);
  });
});

describe('isCalendarDate', () => {
  it.each(['2026-06-15', '2024-02-29', '1900-01-01'])('%s is a calendar date', (text) => {
    expect(isCalendarDate(text)).toBe(true);
  });

  it.each(['2026-02-29', '2026-13-01', '2026-6-15', '1899-12-31', '15/06/2026', ''])(
    '%j is not a calendar date',
    (text) => {
      expect(isCalendarDate(text)).toBe(false);
    },
  );
});

describe('nextDayInIsrael', () => {
  it.each([
    ['in summer', '2026-06-15T09:00:00Z', '2026-06-15T21:00:00.000Z'],
    ['in winter', '2026-01-15T09:00:00Z', '2026-01-15T22:00:00.000Z'],
    ['at midnight itself', '2026-06-15T21:00:00Z', '2026-06-16T21:00:00.000Z'],
    ['on the day on which summer time begins', '2026-03-26T22:30:00Z', '2026-03-27T21:00:00.000Z'],
    ['on the day on which summer time ends', '2026-10-24T22:30:00Z', '2026-10-25T22:00:00.000Z'],
  ])('the next day in Israel begins at midnight %s', (_name, instant, start) => {
    expect(nextDayInIsrael(new Date(instant)).toISOString()).toBe(start);
  });
});

describe('addDays', () => {
  it('addDays crosses months, leap days and years', () => {
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
    expect(addDays('2026-02-28', 1)).toBe('2026-03-01');
    expect(addDays('2026-12-31', 30)).toBe('2027-01-30');
    expect(addDays('2026-06-15', 0)).toBe('2026-06-15');
  });
});
