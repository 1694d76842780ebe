import { addDays, beginningOfDayInIsrael } from '@pinkas/domain';
import { type AnsweredError, answeredErrors } from './answer-object.js';
import type { AskedAbout, StatusFailure } from './attempt-outcome.js';

const stopped = { retryable: false, awaitsConnection: false } as const;

/** A number is given from so many days before the date of a document. */
const daysAhead = 30;

/** Codes of a refusal in substance, which only a decision of the owner follows: 460, and 461 and 462 when it is asked again. */
const refusals = ['460', '461', '462'];

/** Of a VAT number that the authority does not know. */
const wrongNumberCodes = ['431', '432'];

/** Whether the authority has refused the number in substance; other codes are errors of data. */
export const isRefusal = (codes: readonly string[]): boolean =>
  codes.length === 0 || codes.some((code) => refusals.includes(code));

/**
 * What the codes of a data error mean (technical specification of allocation numbers, v2): 431 a VAT number, 434 and 435 the date, 446
 * who issues. Any other code stops the attempts, since it is not documented what follows from it.
 * @returns undefined where the body has no code.
 */
export function dataFailure(body: string, about: AskedAbout): StatusFailure | undefined {
  const errors = answeredErrors(body).filter(({ code }) => code !== '');
  const has = (...codes: string[]) => errors.find(({ code }) => codes.includes(code));
  if (errors.length === 0) {
    return undefined;
  }
  // The codes of the donations interface are not published.
  if (about.kind === 'donation') {
    return rejected(errors, 'and the donation reported again');
  }
  if (has('434')) {
    return {
      reason: `The document is older than a year: the tax authority gives no number for it any more (434).`,
      ...stopped,
      isFinal: true,
    };
  }
  if (has('435') && errors.length === 1) {
    return tooEarly(about);
  }
  // Several may be answered together: who corrects the first alone is rejected again.
  const isPersonMissing = has('446') !== undefined;
  const wrongNumbers = errors.filter(({ code }) => wrongNumberCodes.includes(code));
  const others = errors.filter(({ code }) => code !== '446' && !wrongNumberCodes.includes(code));
  if (isPersonMissing && wrongNumbers.length + others.length === 0) {
    return personMissing;
  }
  const reasons = [
    ...(isPersonMissing ? [personMissing.reason] : []),
    ...new Set(wrongNumbers.map(wrongNumberReason)),
    ...(others.length > 0 ? [rejected(others, 'and the number asked for again').reason] : []),
  ];
  return { reason: reasons.join(' '), ...stopped };
}

function rejected(errors: readonly AnsweredError[], again: string): StatusFailure {
  const listed = errors.map(({ code, message, param }) =>
    [code, message, param && `(${param})`].filter(Boolean).join(' '),
  );
  return {
    reason: `The tax authority has rejected the request: ${listed.join('; ')}. Its data or the software has to be corrected, ${again}.`,
    ...stopped,
  };
}

/** The authority requires a person, by name or by id. */
export const personMissing: StatusFailure = {
  reason:
    'The tax authority requires the name or the id of the person who issues (446). The owner has to connect the business again and state it.',
  retryable: false,
  awaitsConnection: true,
};

function wrongNumberReason({ code, param }: AnsweredError): string {
  const named = `(${code}${param && `, ${param}`})`;
  if (code === '432' || /customer/i.test(param)) {
    return `The tax authority does not know the customer's VAT number ${named}. Correct the customer's tax id, and issue another document.`;
  }
  return param === ''
    ? `The tax authority does not know one of the two VAT numbers ${named}. Correct the tax id that is wrong, and issue another document.`
    : `The tax authority does not know the VAT number of the business ${named}. Correct the tax id in the settings of the business, and issue another document.`;
}

function tooEarly({ date, now }: AskedAbout): StatusFailure {
  const day = addDays(date, -daysAhead);
  const due = beginningOfDayInIsrael(day);
  // The border is not documented: one attempt a day from then on.
  const notBefore = due > now ? due : new Date(now.getTime() + 24 * 3_600_000);
  return {
    reason: `The date of the document is more than a month ahead (435). The number is requested again on ${notBefore.toISOString().slice(0, 10)}.`,
    retryable: true,
    awaitsConnection: false,
    isEndless: true,
    notBefore,
  };
}
