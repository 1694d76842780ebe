import { addDays } from './israel-calendar.js';

/** From when the days of payment terms count: the date of the document, or the end of its month ('שוטף'). */
export const paymentTermsStarts = ['date', 'end_of_month'] as const;
export type PaymentTermsStart = (typeof paymentTermsStarts)[number];

/** When a customer pays. */
export interface PaymentTerms {
  readonly days: number;
  readonly from: PaymentTermsStart;
}

/** The last day of the month of a day; both YYYY-MM-DD. */
export function endOfMonth(day: string): string {
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))];
  // The day before the first of the next month.
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}

/** The day by which a document of a date is paid; both YYYY-MM-DD. */
export function dueOn(date: string, { days, from }: PaymentTerms): string {
  return addDays(from === 'end_of_month' ? endOfMonth(date) : date, days);
}
