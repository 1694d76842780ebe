const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;

const israelDay = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Asia/Jerusalem',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** The day in Asia/Jerusalem at an instant, as YYYY-MM-DD. */
export function dayInIsrael(instant: Date): string {
  return israelDay.format(instant);
}

const hourMs = 60 * 60 * 1000;

/** The instant at which a day, YYYY-MM-DD, begins in Asia/Jerusalem. */
export function beginningOfDayInIsrael(day: string): Date {
  const utcMidnightMs = Date.parse(`${day}T00:00:00Z`);
  // Israel is three hours ahead of UTC in summer and two in winter; clocks never change at midnight.
  const summer = new Date(utcMidnightMs - 3 * hourMs);
  return dayInIsrael(summer) === day ? summer : new Date(utcMidnightMs - 2 * hourMs);
}

/** The instant at which the next day begins in Asia/Jerusalem. */
export const nextDayInIsrael = (instant: Date): Date =>
  beginningOfDayInIsrael(addDays(dayInIsrael(instant), 1));

/** Whether a text is a day that exists, as YYYY-MM-DD, 1900 or later. */
export function isCalendarDate(value: string): boolean {
  const match = datePattern.exec(value);
  if (!match) {
    return false;
  }
  const [, year, month, day] = match.map(Number) as [number, number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  return year >= 1900 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** The last day that YYYY-MM-DD can name. */
const lastDay = '9999-12-31';

/** The day that lies `days` days after another; both YYYY-MM-DD, and the last one that has this form where it would be later. */
export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.getUTCFullYear() > 9999 ? lastDay : date.toISOString().slice(0, 10);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/**
 * A day, from YYYY-MM-DD, for a reader: DD/MM/YYYY in Hebrew; with the name of its month in English, whose readers disagree about
 * which number is the month.
 */
export function formatDay(day: string, language: 'he' | 'en'): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return language === 'he'
    ? `${date}/${month}/${year}`
    : `${Number(date)} ${months[Number(month) - 1]} ${year}`;
}

const israelTime = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Asia/Jerusalem',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** The time of day in Asia/Jerusalem at an instant, as hh:mm. */
export function timeInIsrael(instant: Date): string {
  return israelTime.format(instant);
}
