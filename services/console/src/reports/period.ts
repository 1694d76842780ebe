import { addDays } from '@pinkas/domain';
import { type Language, type Words } from '@pinkas/ui';

/** A period of a report: a month, two months as VAT is reported in, or a year. */
export interface ReportPeriod {
  /** `2026-06`, `2026-05-2` or `2026`. */
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** The day on which the state was founded: no document is older. Ranges without a first day begin on it. */
export const beforeEveryDocument = '1948-05-14';

const texts = {
  year: { he: 'שנת', en: 'Year' },
} as const satisfies Record<string, Words>;

const monthNames = {
  he: [
    'ינואר',
    'פברואר',
    'מרץ',
    'אפריל',
    'מאי',
    'יוני',
    'יולי',
    'אוגוסט',
    'ספטמבר',
    'אוקטובר',
    'נובמבר',
    'דצמבר',
  ],
  en: [
    ...['January', 'February', 'March', 'April', 'May', 'June'],
    ...['July', 'August', 'September', 'October', 'November', 'December'],
  ],
} as const;

const twoDigits = (value: number) => String(value).padStart(2, '0');
const firstDay = (months: number) => `${Math.floor(months / 12)}-${twoDigits((months % 12) + 1)}-01`;

/** One month, or two, from the first day of the first. */
export function periodFrom(firstDayOf: string, months: number): ReportPeriod {
  return monthsFrom(Number(firstDayOf.slice(0, 4)) * 12 + Number(firstDayOf.slice(5, 7)) - 1, months);
}

/** What the files of a period are called: `2026-06`, `2026-05_06` or `2026`. */
export const fileNameOf = ({ name, from, to }: ReportPeriod): string =>
  name.length === 4 || from.slice(0, 7) === to.slice(0, 7) ? name : `${from.slice(0, 7)}_${to.slice(5, 7)}`;

/** @param first the first month, counted from the year 0. */
function monthsFrom(first: number, count: number): ReportPeriod {
  const from = firstDay(first);
  const month = from.slice(0, 7);
  return { name: count === 1 ? month : `${month}-${count}`, from, to: addDays(firstDay(first + count), -1) };
}

const yearOf = (year: number): ReportPeriod => ({
  name: String(year),
  from: `${year}-01-01`,
  to: `${year}-12-31`,
});

const monthsShown = 14;
const pairsShown = 7;
const yearsShown = 3;

/** The periods that a person can choose, the last ones first. @param today YYYY-MM-DD. */
export function periodsUntil(today: string): {
  months: ReportPeriod[];
  pairs: ReportPeriod[];
  years: ReportPeriod[];
} {
  const year = Number(today.slice(0, 4));
  const current = year * 12 + Number(today.slice(5, 7)) - 1;
  // VAT of two months is reported for January and February, and so on.
  const pair = current - (current % 2);
  const countdown = (length: number) => Array.from({ length }, (_, index) => index);
  return {
    months: countdown(monthsShown).map((index) => monthsFrom(current - index, 1)),
    pairs: countdown(pairsShown).map((index) => monthsFrom(pair - 2 * index, 2)),
    years: countdown(yearsShown).map((index) => yearOf(year - index)),
  };
}

/** The period of a name in an address; null where it names none, such as a year in which there was no such report. */
export function readPeriod(name: string | null): ReportPeriod | null {
  const month = /^((?:19|20)\d{2})-(0[1-9]|1[0-2])(-2)?$/.exec(name ?? '');
  if (month) {
    return periodFrom(`${month[1]}-${month[2]}-01`, month[3] ? 2 : 1);
  }
  return /^(19|20)\d{2}$/.test(name ?? '') ? yearOf(Number(name)) : null;
}

/** `June 2026`, `May–June 2026`, `Year 2026`. */
export function periodTitle({ name, from, to }: ReportPeriod, language: Language): string {
  if (name.length === 4) {
    return `${texts.year[language]} ${name}`;
  }
  const [first, last] = [from, to].map((day) => monthTitle(day.slice(0, 7), language));
  if (first === last) {
    return first ?? '';
  }
  const isOneYear = from.slice(0, 4) === to.slice(0, 4);
  return `${isOneYear ? monthName(from, language) : first}–${last}`;
}

/** `June 2026`, from YYYY-MM. */
export function monthTitle(month: string, language: Language): string {
  return `${monthName(month, language)} ${month.slice(0, 4)}`;
}

const monthName = (month: string, language: Language) => monthNames[language][Number(month.slice(5, 7)) - 1];
