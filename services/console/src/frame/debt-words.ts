import type { DebtAge } from '@pinkas/domain';
import { badge, html, type Language, leftToRight, type Markup, type Words } from '@pinkas/ui';

/** The ages of debts, as a person calls them. */
export const ageWords = {
  not_due: { he: 'טרם הגיע המועד', en: 'Not due yet' },
  days_1_30: { he: 'עד 30 יום באיחור', en: 'Up to 30 days late' },
  days_31_60: { he: '31–60 ימים באיחור', en: '31–60 days late' },
  days_61_90: { he: '61–90 ימים באיחור', en: '61–90 days late' },
  days_over_90: { he: 'יותר מ-90 יום באיחור', en: 'More than 90 days late' },
} as const satisfies Record<DebtAge, Words>;

const texts = {
  day: { he: 'יום באיחור', en: 'day late' },
  days: { he: 'ימים באיחור', en: 'days late' },
} as const satisfies Record<string, Words>;

/** How many days late something is; what is not due states it. */
export function lateness(days: number, language: Language): Markup {
  if (days <= 0) {
    return badge('neutral', ageWords.not_due[language]);
  }
  const word = days === 1 ? texts.day : texts.days;
  return badge('bad', html`${leftToRight(String(days))} ${word[language]}`);
}
