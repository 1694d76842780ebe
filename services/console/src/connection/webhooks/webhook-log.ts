import { isEventId, type listWebhookAttempts, type ReplyOf, type WebhookAttempt } from '@pinkas/contracts';
import {
  badge,
  button,
  dayAndTime,
  disclosure,
  emptyState,
  facts,
  hidden,
  html,
  leftToRight,
  type Markup,
  postForm,
  type Words,
} from '@pinkas/ui';
import { reasonText } from '../../frame/reason-words.js';
import type { MemberVisit } from '../../http/visit.js';
import { endpointsPath } from './endpoint-parts.js';
import { eventWords } from './webhook-words.js';

const texts = {
  none: { he: 'עדיין לא נשלח דבר.', en: 'Nothing was sent yet.' },
  received: { he: 'התקבל', en: 'Received' },
  failed: { he: 'נכשל', en: 'Failed' },
  event: { he: 'אירוע', en: 'Event' },
  at: { he: 'מתי', en: 'Time' },
  attempt: { he: 'ניסיון', en: 'Attempt' },
  status: { he: 'תשובה', en: 'Status' },
  duration: { he: 'משך', en: 'Duration' },
  reason: { he: 'סיבה', en: 'Reason' },
  next: { he: 'הניסיון הבא', en: 'Next attempt' },
  bodies: { he: 'מה נשלח ומה נענה', en: 'Request and answer' },
  request: { he: 'מה נשלח (4 KB ראשונים)', en: 'Request (first 4 KB)' },
  answer: { he: 'מה נענה (4 KB ראשונים)', en: 'Answer (first 4 KB)' },
  empty: { he: 'ריק', en: 'empty' },
  again: { he: 'שליחה חוזרת', en: 'Send again' },
} as const satisfies Record<string, Words>;

/** Where a page of the log begins. */
type Position = NonNullable<ReplyOf<typeof listWebhookAttempts>['next_after']>;

/** A position as an address has it. */
export const writePosition = ({ started_at, event_id, n }: Position): string =>
  `${started_at}.${event_id}.${n}`;

/** Undefined where an address has none. */
export function readPosition(text: string | null): Position | undefined {
  const [, started_at = '', event_id = '', n = ''] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\.(evt_[0-9a-f]{32})\.(\d{1,9})$/.exec(text ?? '') ?? [];
  return isEventId(event_id) && !Number.isNaN(Date.parse(started_at))
    ? { started_at, event_id, n: Number(n) }
    : undefined;
}

/** The attempts of a page of the log. */
export function webhookLog(
  visit: MemberVisit,
  endpoint: { readonly id: string; readonly enabled: boolean },
  attempts: readonly WebhookAttempt[],
): Markup {
  if (attempts.length === 0) {
    return emptyState({ title: visit.t(texts.none) });
  }
  return html`<ol class="trail">
  ${attempts.map((attempt) => attemptItem(visit, endpoint, attempt))}
</ol>`;
}

function attemptItem(
  { csrfToken, language, t, link }: MemberVisit,
  endpoint: { readonly id: string; readonly enabled: boolean },
  attempt: WebhookAttempt,
): Markup {
  const { event_id: id, received, reason, status } = attempt;
  const outcome = received ? badge('good', t(texts.received)) : badge('bad', t(texts.failed));
  const next = attempt.next_attempt_at && dayAndTime(attempt.next_attempt_at, language);
  const known = facts(
    [
      [t(texts.at), dayAndTime(attempt.started_at, language)],
      [t(texts.status), status === null ? null : leftToRight(String(status))],
      [t(texts.duration), leftToRight(`${attempt.duration_ms.toLocaleString('en-US')} ms`)],
      [t(texts.attempt), leftToRight(String(attempt.n))],
      [t(texts.reason), reason && reasonText(reason, language)],
      [t(texts.next), next],
      [t(texts.event), html`<code>${leftToRight(id)}</code>`],
    ],
    language,
  );
  const bodies = html`${bodyPart(t(texts.request), attempt.request, t(texts.empty))}
${bodyPart(t(texts.answer), attempt.response, t(texts.empty))}`;
  const again = html`${hidden('event_id', id)}
${button({ text: t(texts.again), kind: 'secondary', label: `${t(texts.again)}: ${id}` })}`;
  return html`<li>
  <p><strong>${t(eventWords[attempt.type])}</strong> ${outcome}</p>
  ${known}
  ${disclosure(t(texts.bodies), bodies)}
  ${endpoint.enabled ? postForm(link(`${endpointsPath}/${endpoint.id}/resend`), csrfToken, again) : null}
</li>
`;
}

/** A body, which can be scrolled by keys as well. */
function bodyPart(title: string, text: string, none: string): Markup {
  const body = html`<pre dir="ltr" tabindex="0">${text}</pre>`;
  const nothing = html`<p class="soft">${none}</p>`;
  return html`<h3>${title}</h3>
${text === '' ? nothing : body}`;
}
