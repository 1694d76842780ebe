import { addDays } from './israel-calendar.js';

/** How late what is left to pay is, by the days since its due date. */
export const debtAges = ['not_due', 'days_1_30', 'days_31_60', 'days_61_90', 'days_over_90'] as const;
export type DebtAge = (typeof debtAges)[number];

/** The first and the last day after the due date that an age contains; null: without an end. */
const lateness: Readonly<Record<DebtAge, readonly [first: number | null, last: number | null]>> = {
  not_due: [null, 0],
  days_1_30: [1, 30],
  days_31_60: [31, 60],
  days_61_90: [61, 90],
  days_over_90: [91, null],
};

const dayMs = 24 * 60 * 60 * 1000;

/** How many days a day lies after a due date; 0 on it, negative before it. Both YYYY-MM-DD. */
export function daysAfter(dueOn: string, day: string): number {
  return Math.round((Date.parse(`${day}T00:00:00Z`) - Date.parse(`${dueOn}T00:00:00Z`)) / dayMs);
}

/** The age on a day of what was due on another. */
export function debtAgeOf(dueOn: string, day: string): DebtAge {
  const late = daysAfter(dueOn, day);
  return debtAges.find((age) => late <= (lateness[age][1] ?? late)) ?? 'days_over_90';
}

/** The due dates, both included, of what has an age on a day; null: without an end. */
export function dueDatesOfAge(age: DebtAge, day: string): { from: string | null; to: string | null } {
  const [first, last] = lateness[age];
  return {
    from: last === null ? null : addDays(day, -last),
    to: first === null ? null : addDays(day, -first),
  };
}
