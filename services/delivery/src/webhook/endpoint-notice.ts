import { createHash } from 'node:crypto';
import {
  html,
  leftToRight,
  messageHeading,
  messageNote,
  messagePage,
  messagePart,
  messageText,
} from '@pinkas/ui';
import type { EndpointRow } from '../db/webhook.tables.js';
import type { Notice } from '../notice/notice-mailer.js';

type Language = 'he' | 'en';

const texts = {
  failing: {
    subject: { he: 'האירועים לא מגיעים אל התוכנה שלך', en: 'Your events are not received' },
    lead: {
      he: 'כל ניסיון לשלוח אירועים אל הכתובת הזאת נכשל, כבר יממה:',
      en: 'Every attempt to send events to this address has failed for a day:',
    },
    more: {
      he: 'הניסיונות נמשכים. אם כולם ייכשלו חמישה ימים, השליחה אל הכתובת תיפסק.',
      en: 'The attempts go on. If all of them fail for five days, the address is disabled.',
    },
  },
  disabled: {
    subject: { he: 'השליחה אל התוכנה שלך הופסקה', en: 'Your endpoint was disabled' },
    lead: {
      he: 'לא נשלחים עוד אירועים אל הכתובת הזאת:',
      en: 'Events are no longer sent to this address:',
    },
    more: {
      he: 'אחרי שהתוכנה תוקנה אפשר להפעיל את הכתובת בדף החיבור, ולשלוח שוב מה שלא הגיע.',
      en: 'When your program is repaired, enable the address on the page Connection settings, and send what was missed.',
    },
  },
  reason: { he: 'הסיבה:', en: 'Reason:' },
} as const;

/** The email to the owner of an endpoint that fails for a day, or that was disabled for it. */
export function endpointNotice(
  endpoint: EndpointRow,
  kind: 'failing' | 'disabled',
  owner: { recipient: string; language: Language },
): Notice {
  const { language, recipient } = owner;
  const subject = texts[kind].subject[language];
  const lead = texts[kind].lead[language];
  const more = texts[kind].more[language];
  const reason = endpoint.last_failure ?? '';
  const content = html`${messageHeading(subject)}
    ${messageText(lead)}
    ${messageText(leftToRight(endpoint.url))}
    ${messageText(html`${texts.reason[language]} ${leftToRight(reason)}`)}
    ${messageNote(more)}`;
  return {
    notice_id: noticeId(endpoint, kind),
    recipient,
    subject,
    text: `${[lead, endpoint.url, `${texts.reason[language]} ${reason}`, more].join('\n\n')}\n`,
    html: messagePage({ language, title: subject, content: messagePart(language, content) }),
  };
}

/** The same for the same failure: a mail whose outcome was lost is the same message again. */
function noticeId({ id, failing_since: since }: EndpointRow, kind: string): string {
  const digest = createHash('sha256').update(`${id} ${since?.toISOString()} ${kind}`).digest('hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
