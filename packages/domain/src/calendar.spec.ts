import { describe, expect, it } from '@jest/globals';
import { addBusinessDays, isBusinessDay } from './business-days.js';
import { addDays, dayInIsrael, isCalendarDate, nextDayInIsrael } from './israel-calendar.js';
import { heldUntil, quietUntil } from './quiet-hours.js';

const until = (range: string, instant: string) => quietUntil(range, new Date(instant))?.toISOString() ?? null;

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

describe('quiet hours', () => {
  it.each([
    ['a minute before they begin', '2026-06-15T18:59:59Z', null],
    ['at their start', '2026-06-15T19:00:00Z', '2026-06-16T04:00:00.000Z'],
    ['before midnight', '2026-06-15T20:59:59.999Z', '2026-06-16T04:00:00.000Z'],
    ['after midnight', '2026-06-15T21:00:00Z', '2026-06-16T04:00:00.000Z'],
    ['in their last second', '2026-06-16T03:59:59.999Z', '2026-06-16T04:00:00.000Z'],
    ['at their end', '2026-06-16T04:00:00Z', null],
  ])('quiet hours across midnight in summer: %s', (_case, instant, expected) => {
    expect(until('22:00-07:00', instant)).toBe(expected);
  });

  it('quiet hours end an hour later in UTC in winter', () => {
    expect(until('22:00-07:00', '2026-01-15T22:00:00Z')).toBe('2026-01-16T05:00:00.000Z');
  });

  it('quiet hours within one day do not apply at night', () => {
    expect(until('13:00-16:30', '2026-06-15T11:00:00Z')).toBe('2026-06-15T13:30:00.000Z');
    expect(until('13:00-16:30', '2026-06-15T22:00:00Z')).toBeNull();
  });

  it('quiet hours with equal start and end never apply', () => {
    expect(until('08:00-08:00', '2026-06-15T05:00:00Z')).toBeNull();
  });

  // Summer time begins on Friday 27 March 2026 at 02:00, which becomes 03:00.
  it('quiet hours end at the right instant in the night that is an hour short', () => {
    expect(until('22:00-07:00', '2026-03-26T21:00:00Z')).toBe('2026-03-27T04:00:00.000Z');
    expect(until('22:00-03:00', '2026-03-26T21:00:00Z')).toBe('2026-03-27T00:00:00.000Z');
  });

  it('quiet hours whose end is skipped by the clock change end at the change', () => {
    expect(until('22:00-02:30', '2026-03-26T21:00:00Z')).toBe('2026-03-27T00:00:00.000Z');
  });

  it('quiet hours within the skipped hour do not apply in that night', () => {
    expect(until('02:00-03:00', '2026-03-26T23:59:00Z')).toBeNull();
    expect(until('02:00-03:00', '2026-03-27T00:00:00Z')).toBeNull();
  });

  // Summer time ends on Sunday 25 October 2026 at 02:00, which becomes 01:00.
  it('quiet hours end at the right instant in the night that is an hour longer', () => {
    expect(until('22:00-07:00', '2026-10-24T20:00:00Z')).toBe('2026-10-25T05:00:00.000Z');
  });

  it('quiet hours whose end occurs twice end at the first, and apply again in the repeated hour', () => {
    expect(until('22:00-01:30', '2026-10-24T20:00:00Z')).toBe('2026-10-24T22:30:00.000Z');
    expect(until('22:00-01:30', '2026-10-24T22:45:00Z')).toBeNull();
    expect(until('22:00-01:30', '2026-10-24T23:10:00Z')).toBe('2026-10-24T23:30:00.000Z');
  });

  it.each([
    ['that pass midnight', '22:00-07:00', '2026-03-26T20:00:00Z', '2026-03-27T04:00:00.000Z'],
    ['that begin in the skipped hour', '02:30-06:00', '2026-03-27T00:00:00Z', '2026-03-27T03:00:00.000Z'],
    ['that begin with the change', '03:00-06:00', '2026-03-27T00:00:00Z', '2026-03-27T03:00:00.000Z'],
    ['of the whole day but an hour', '08:00-07:00', '2026-03-26T06:00:00Z', '2026-03-27T04:00:00.000Z'],
  ])(
    'quiet hours (%s) end by local time in the night that is an hour short',
    (_case, range, instant, end) => {
      expect(until(range, instant)).toBe(end);
    },
  );

  it.each([
    ['that pass midnight', '22:00-07:00', '2026-10-24T19:00:00Z', '2026-10-25T05:00:00.000Z'],
    [
      'that begin in the hour that comes twice',
      '01:30-06:00',
      '2026-10-24T22:30:00Z',
      '2026-10-25T04:00:00.000Z',
    ],
    [
      'that have begun when it comes again',
      '01:30-06:00',
      '2026-10-24T23:30:00Z',
      '2026-10-25T04:00:00.000Z',
    ],
    ['of the whole day but an hour', '08:00-07:00', '2026-10-24T05:00:00Z', '2026-10-25T05:00:00.000Z'],
  ])(
    'quiet hours (%s) end by local time in the night that is an hour longer',
    (_case, range, instant, end) => {
      expect(until(range, instant)).toBe(end);
    },
  );

  it('quiet hours do not apply to the accountant, nor to a business without them', () => {
    const night = new Date('2026-06-15T20:00:00Z');
    expect(heldUntil('customer', '22:00-07:00', night)?.toISOString()).toBe('2026-06-16T04:00:00.000Z');
    expect(heldUntil('accountant', '22:00-07:00', night)).toBeNull();
    expect(heldUntil('customer', null, night)).toBeNull();
  });

  it('quiet hours agree with a minute-by-minute simulation of both nights of the clock change', () => {
    const clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Asia/Jerusalem',
      hour: '2-digit',
      minute: '2-digit',
    });
    for (const night of ['2026-03-26T19:00:00Z', '2026-10-24T19:00:00Z']) {
      const wall = (time: number) => clock.format(time);
      const isQuiet = (time: number) => wall(time) >= '23:15' || wall(time) < '05:45';
      const begin = new Date(night).getTime();
      for (let minute = 0; minute < 14 * 60; minute += 7) {
        const start = begin + minute * 60_000;
        let walked = start;
        while (isQuiet(walked)) {
          walked += 60_000;
        }
        expect(quietUntil('23:15-05:45', new Date(start))?.getTime() ?? start).toBe(walked);
      }
    }
  });
});

describe('isBusinessDay', () => {
  it.each([
    ['2026-11-26', true, 'a Thursday'],
    ['2026-11-27', false, 'a Friday'],
    ['2026-11-28', false, 'a Saturday'],
    ['2026-09-13', false, 'the second day of Rosh Hashanah'],
    ['2026-09-20', true, 'the eve of Yom Kippur, so that no deadline is late'],
    ['2026-09-21', false, 'Yom Kippur'],
    ['2026-04-02', false, 'the first day of Passover'],
    ['2026-04-05', true, 'a half-holiday'],
    ['2026-04-08', false, 'the seventh day of Passover'],
    ['2026-04-22', false, 'Independence Day on 5 Iyar'],
    ['2025-05-01', false, 'Independence Day on 3 Iyar, since 5 Iyar is a Saturday'],
    ['2024-05-14', false, 'Independence Day on 6 Iyar, since 5 Iyar is a Monday'],
    ['2024-05-13', true, '5 Iyar on a Monday'],
  ])('%s is a day of business: %s, since it is %s', (day, expected) => {
    expect(isBusinessDay(day)).toBe(expected);
  });

  it('addBusinessDays passes over weekends and days of rest', () => {
    expect(addBusinessDays('2026-11-26', 2)).toBe('2026-11-30');
    expect(addBusinessDays('2026-09-17', 2)).toBe('2026-09-22');
  });
});
