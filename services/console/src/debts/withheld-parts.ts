import type { WithheldConfirmation } from '@pinkas/contracts';
import { isCalendarDate } from '@pinkas/domain';
import { type FieldErrors, field, type Language, lengthErrors, type Markup, type Words } from '@pinkas/ui';

export const withheldTexts = {
  confirmation: { he: 'אישור הניכוי מהלקוח', en: "The customer's confirmation" },
  number: { he: 'מספר האישור של הלקוח', en: 'Number of the confirmation' },
  numberHint: { he: 'אפשר להשאיר ריק.', en: 'It may be left empty.' },
  date: { he: 'תאריך האישור', en: 'Date of the confirmation' },
  wrong: {
    he: 'סכום גדול מאפס, ולכל היותר מה שנשאר לתשלום; ייתכן שהיתרה השתנתה.',
    en: 'An amount above zero, and at most the balance due, which may have changed.',
  },
  nothing: {
    he: 'דבר לא נרשם. יש לתקן את השדות המסומנים.',
    en: 'Nothing was recorded. Correct the marked fields.',
  },
  badDate: { he: 'התאריך אינו תקין.', en: 'The date is not valid.' },
} as const satisfies Record<string, Words>;

/** How the customer confirms what it has withheld. @param list what the names begin with. */
export function confirmationFields(
  list: string,
  typed: Readonly<Record<string, string>>,
  errors: FieldErrors,
  language: Language,
): Markup[] {
  const [number, date] = [`${list}.number`, `${list}.date`];
  return [
    field({
      name: number,
      label: withheldTexts.number[language],
      hint: withheldTexts.numberHint[language],
      value: typed[number] ?? '',
      error: errors[number],
    }),
    field({
      name: date,
      label: withheldTexts.date[language],
      type: 'date',
      language,
      value: typed[date] ?? '',
      error: errors[date],
    }),
  ];
}

/** Code points, as the contract has it. */
const numberMax = 40;

/** How the customer confirms what it has withheld, or what is wrong with that. */
export function confirmationOf(
  typed: Readonly<Record<string, string>>,
  list: string,
  language: Language,
): { confirmation: WithheldConfirmation } | { errors: FieldErrors } {
  const [number = '', date = ''] = [typed[`${list}.number`], typed[`${list}.date`]];
  const errors = {
    ...lengthErrors(typed, { [`${list}.number`]: numberMax }, language),
    ...(date !== '' && !isCalendarDate(date) && { [`${list}.date`]: withheldTexts.badDate[language] }),
  };
  return Object.keys(errors).length > 0
    ? { errors }
    : { confirmation: { ...(number !== '' && { number }), ...(date !== '' && { date }) } };
}
