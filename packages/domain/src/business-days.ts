import { addDays } from './israel-calendar.js';

const hebrewDay = new Intl.DateTimeFormat('en-u-ca-hebrew', {
  timeZone: 'UTC',
  weekday: 'short',
  month: 'long',
  day: 'numeric',
});

/** The days of rest of the Law and Administration Ordinance, section 18A, by the Hebrew calendar. */
const restDays: ReadonlySet<string> = new Set([
  '1 Tishri',
  '2 Tishri',
  '10 Tishri',
  '15 Tishri',
  '22 Tishri',
  '15 Nisan',
  '21 Nisan',
  '6 Sivan',
]);

/** 5 Iyar, which is moved where it falls on another weekday (Independence Day Law, 1949, section 1). */
const independenceDays: ReadonlySet<string> = new Set([
  '3 Iyar Thu',
  '4 Iyar Thu',
  '5 Iyar Wed',
  '6 Iyar Tue',
]);

/**
 * Whether a day (YYYY-MM-DD) is one of business: Sunday to Thursday, but no day of rest. Eves of festivals count as days of business, so
 * that no deadline is stated later than it is.
 */
export function isBusinessDay(day: string): boolean {
  const parts = hebrewDay.formatToParts(new Date(`${day}T00:00:00Z`));
  const part = (type: 'day' | 'month' | 'weekday') => parts.find((found) => found.type === type)?.value ?? '';
  const weekday = part('weekday');
  const name = `${part('day')} ${part('month')}`;
  return (
    weekday !== 'Fri' &&
    weekday !== 'Sat' &&
    !restDays.has(name) &&
    !independenceDays.has(`${name} ${weekday}`)
  );
}

/** The day that is so many business days after another one; both YYYY-MM-DD. */
export function addBusinessDays(day: string, days: number): string {
  let last = day;
  for (let left = days; left > 0; left -= isBusinessDay(last) ? 1 : 0) {
    last = addDays(last, 1);
  }
  return last;
}
