import type {
  Allocation,
  AllocationAttempt,
  AllocationOutcome,
  DecisionView,
  IssuedDocument,
} from '@pinkas/contracts';
import { dayAndTime, html, type Language, leftToRight, type Markup, type Words } from '@pinkas/ui';
import { reasonText } from '../frame/reason-words.js';
import { decisionWords, refusalWords } from '../frame/refusal-words.js';
import type { DocumentHistory, TimelineStep } from './document-history.js';

const texts = {
  request: { he: 'בקשה', en: 'Request' },
  forNumber: { he: 'למספר הקצאה', en: 'for an allocation number' },
  forReport: { he: 'לרשות המסים, על התרומה', en: 'to the tax authority, about the donation' },
  granted: { he: 'התקבל מספר', en: 'the number arrived' },
  refused: { he: 'רשות המסים סירבה', en: 'the tax authority refused' },
  failed: { he: 'לא הצליחה', en: 'failed' },
  dead_lettered: { he: 'לא הצליחה, והבקשות נפסקו', en: 'failed, and no further request followed' },
  inFlight: { he: 'ממתינה לתשובה', en: 'no answer yet' },
  unknown: { he: 'לא ידוע מה הייתה התשובה', en: 'its answer is not known' },
  pending: { he: 'ממתין למספר הקצאה', en: 'The number is being obtained' },
  pendingReport: {
    he: 'ממתין לתשובת רשות המסים על התרומה',
    en: 'The tax authority has not taken the donation yet',
  },
  next: { he: 'הבקשה הבאה', en: 'next request' },
} as const satisfies Record<string, Words>;

/** Why no number was requested, where a person can change that. */
const skipped: Readonly<Partial<Record<AllocationOutcome['status'], Words>>> = {
  skipped_customer_tax_id_missing: {
    he: 'לא התבקש מספר הקצאה: ללקוח אין ח.פ.',
    en: 'No allocation number was requested: the customer has no tax id',
  },
  skipped_business_tax_id_missing: {
    he: 'לא התבקש מספר הקצאה: לעסק אין ח.פ.',
    en: 'No allocation number was requested: the business has no tax id',
  },
};

/** Every attempt to obtain the allocation number, or to report a donation, and what it waits for; or why none was requested. */
export function allocationSteps(
  { document, outcome, allocation: history }: DocumentHistory,
  language: Language,
): TimelineStep[] {
  const { allocation, attempts } = history ?? { allocation: null, attempts: [] };
  if (allocation === null) {
    const words = outcome && skipped[outcome.status];
    return words ? [{ at: document.issued_at, kind: 'waiting', text: html`${words[language]}` }] : [];
  }
  const steps = [
    ...attempts.map((attempt) => attemptStep(document, attempt, allocation, language)),
    ...(history?.decisions ?? []).map((decision) => decisionStep(decision, language)),
    ...enteredStep(allocation, language),
  ];
  const last = attempts.at(-1);
  if (allocation.state !== 'pending' || (last && isInFlight(last, allocation))) {
    return steps;
  }
  const { next_attempt_at: next, decided_at } = allocation;
  return [
    ...steps,
    {
      at: last?.ended_at ?? decided_at,
      kind: 'waiting',
      text: html`${(isDonation(document) ? texts.pendingReport : texts.pending)[language]}`,
      detail: next && html`${texts.next[language]} ${dayAndTime(next, language)}`,
    },
  ];
}

function decisionStep(
  { decision, state, decided_at, ended_at, reason }: DecisionView,
  language: Language,
): TimelineStep {
  const kinds = { pending: 'waiting', taken: 'done', failed: 'failed' } as const;
  const becomes = {
    pending: refusalWords.sending,
    taken: refusalWords.taken,
    failed: refusalWords.rejected,
  }[state];
  return {
    at: ended_at ?? decided_at,
    kind: kinds[state],
    text: html`${refusalWords.decided[language]}: ${decisionWords[decision].name[language]}, ${becomes[language]}`,
    detail: reason && reasonText(reason, language),
  };
}

function enteredStep({ entered, number }: Allocation, language: Language): TimelineStep[] {
  const text = html`${refusalWords.entered[language]} ${leftToRight(number ?? '')}`;
  return entered ? [{ at: entered.at, kind: 'done', text }] : [];
}

const isDonation = ({ type }: IssuedDocument) => type === 'donation_receipt';

function attemptStep(
  document: IssuedDocument,
  attempt: AllocationAttempt,
  allocation: Allocation,
  language: Language,
): TimelineStep {
  const subject = isDonation(document) ? texts.forReport : texts.forNumber;
  const { n, started_at, ended_at, outcome, number, reason } = attempt;
  // The authority's words begin with the code, as a rule.
  const codes = attempt.refusal_codes.filter((code) => !reason?.includes(code));
  const step = (kind: TimelineStep['kind'], word: Words, more: Markup | null = null): TimelineStep => ({
    at: ended_at ?? started_at,
    kind,
    text: html`${texts.request[language]} ${leftToRight(String(n))} ${subject[language]}: ${word[language]}${more}`,
    detail:
      reason &&
      html`${reasonText(reason, language)}${codes.length > 0 && html` (${leftToRight(codes.join(', '))})`}`,
  });
  switch (outcome) {
    case 'granted':
      return step('done', texts.granted, html` ${leftToRight(number ?? '')}`);
    case null:
      return isInFlight(attempt, allocation)
        ? step('waiting', texts.inFlight)
        : step('failed', texts.unknown);
    default:
      return step('failed', texts[outcome]);
  }
}

const isInFlight = ({ n, outcome }: AllocationAttempt, { attempts, state }: Allocation) =>
  outcome === null && n === attempts && state === 'pending';
