import { type Message, type MessageKind, messageKind } from '@pinkas/contracts';
import { dayAndTime, html, type Language, leftToRight, type Words } from '@pinkas/ui';
import { reasonText } from '../frame/reason-words.js';
import type { MemberVisit } from '../http/visit.js';
import type { TimelineStep } from './document-history.js';

const texts = {
  sentTo: { he: 'נשלח אל', en: 'Sent to' },
  simulated: { he: 'ניסיון, לא נשלח באמת אל', en: 'A test, not really sent to' },
  failedTo: { he: 'השליחה נכשלה אל', en: 'Not sent to' },
  unknownTo: { he: 'לא ידוע אם נשלח אל', en: 'It is not known whether it was sent to' },
  waitingFor: { he: 'ממתין לשליחה אל', en: 'Waits to be sent to' },
  nextAttempt: { he: 'הניסיון הבא:', en: 'Next attempt:' },
  notBefore: { he: 'יישלח ב־', en: 'Will be sent at' },
  heldUntil: {
    he: 'ממתין למספר ההקצאה; יישלח לכל המאוחר ב־',
    en: 'Waits for its allocation number; will be sent by',
  },
  withdrawn: { he: 'לא יישלח אל', en: 'Will not be sent to' },
  accountant: { he: 'עותק לרואה החשבון', en: "the accountant's copy" },
  attempt: { he: 'ניסיון', en: 'attempt' },
  email: { he: 'אימייל', en: 'email' },
  whatsapp: { he: 'וואטסאפ', en: 'WhatsApp' },
} as const satisfies Record<string, Words>;

/** What each kind brings; null where it brings the document. */
const kinds: Readonly<Record<MessageKind, Words | null>> = {
  planned: null,
  requested: null,
  number: { he: 'השלמה עם המספר', en: 'follow-up with the number' },
  report_cancelled: { he: 'הודעה על ביטול הדיווח', en: 'news that its report was cancelled' },
  not_deductible: { he: 'הודעה שמס התשומות אינו ניתן לניכוי', en: 'news that no input VAT is deducted' },
  reminder: { he: 'תזכורת תשלום', en: 'payment reminder' },
  statement: { he: 'כרטסת', en: 'statement' },
};

type Attempt = Message['attempts'][number];

/** Every attempt to send a message, and what is to become of it. */
export function messageSteps(message: Message, { isTest, language, t }: MemberVisit): TimelineStep[] {
  const { channel, purpose, recipient } = message;
  const news = kinds[messageKind(message)];
  const about = [
    t(texts[channel]),
    ...(purpose === 'accountant' ? [t(texts.accountant)] : []),
    ...(news === null ? [] : [t(news)]),
  ].join(', ');
  const step = (
    at: string,
    kind: TimelineStep['kind'],
    word: Words,
    detail: TimelineStep['detail'] = null,
    n?: number,
  ): TimelineStep => {
    const attempt = n === undefined ? '' : `, ${t(texts.attempt)} ${n}`;
    return {
      at,
      kind,
      text: html`${t(word)} ${leftToRight(recipient)} (${about}${attempt})`,
      detail,
    };
  };
  // One that is in flight has no outcome yet: the state of the message shows it.
  const ended = message.attempts.filter((attempt) => attempt.ended_at !== null);
  const attempts = ended.map(({ n, started_at, ended_at, outcome, response }) => {
    const at = ended_at ?? started_at;
    const number = message.attempts.length > 1 ? n : undefined;
    if (outcome === 'accepted') {
      return step(at, 'done', isTest ? texts.simulated : texts.sentTo, null, number);
    }
    const word = outcome === 'unknown' ? texts.unknownTo : texts.failedTo;
    return step(at, 'failed', word, response && reasonText(response, language), number);
  });
  const last = ended.at(-1);
  const reason = message.reason && reasonText(message.reason, language);
  const endedAt = message.ended_at ?? message.created_at;
  switch (message.state) {
    case 'sent':
      return attempts;
    case 'failed':
      // What ended it may be no attempt: an address that is suppressed, a channel that is not configured.
      return isLastOf(message, last)
        ? attempts
        : [...attempts, step(endedAt, 'failed', texts.failedTo, reason)];
    case 'withdrawn':
      return [...attempts, step(endedAt, 'waiting', texts.withdrawn, reason)];
    default: {
      const at = last?.ended_at ?? message.created_at;
      return [...attempts, step(at, 'waiting', texts.waitingFor, nextTime(message, language))];
    }
  }
}

/** When it is sent next, and why then. */
function nextTime(message: Message, language: Language): TimelineStep['detail'] {
  const { next_attempt_at, not_before, held_until } = message;
  const times: readonly (readonly [Words, string | null])[] = [
    [texts.nextAttempt, next_attempt_at],
    [texts.notBefore, not_before],
    [texts.heldUntil, held_until],
  ];
  const [next] = times.flatMap(([word, at]) => (at === null ? [] : [[word, at] as const]));
  return next ? html`${next[0][language]} ${dayAndTime(next[1], language)}` : null;
}

const isLastOf = ({ ended_at }: Message, last: Attempt | undefined) =>
  last !== undefined && last.ended_at === ended_at;
