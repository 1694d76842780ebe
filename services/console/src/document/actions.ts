import type { Allocation, DocumentState, IssuedDocument, Message } from '@pinkas/contracts';
import { dayInIsrael, whyNoNumber } from '@pinkas/domain';
import {
  button,
  card,
  choice,
  field,
  form,
  hidden,
  html,
  leftToRight,
  linkButton,
  type Markup,
  postForm,
  type Words,
} from '@pinkas/ui';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';
import { canCancelReport, canReportLate } from './donation.js';

const texts = {
  actions: { he: 'פעולות', en: 'Actions' },
  resend: { he: 'שליחה חוזרת של הודעות שנכשלו', en: 'Send failed messages again' },
  suppressed: { he: 'הכתובת חסומה לשליחה:', en: 'This address is blocked:' },
  suppressedMore: {
    he: 'אם הכתובת נכונה, מבטלים את החסימה ושולחים שוב. אם לא, שולחים לכתובת אחרת:',
    en: 'If the address is right, allow it again and then send again. If not, send to another address:',
  },
  allow: { he: 'ביטול החסימה', en: 'Unblock' },
  send: { he: 'שליחה לכתובת', en: 'Send to an address' },
  recipient: { he: 'כתובת אימייל או טלפון', en: 'Email address or phone' },
  channel: { he: 'באמצעות', en: 'By' },
  email: { he: 'אימייל', en: 'email' },
  whatsapp: { he: 'וואטסאפ', en: 'WhatsApp' },
  recipientWrong: {
    he: 'אי אפשר לשלוח לכתובת הזאת: היא שגויה, או חסומה לשליחה.',
    en: 'Nothing can be sent to this address: it is wrong, or it is blocked.',
  },
  sendButton: { he: 'שליחה', en: 'Send' },
  retry: { he: 'בקשת מספר הקצאה עכשיו', en: 'Request the number now' },
  request: { he: 'בקשת מספר הקצאה (לא חובה)', en: 'Request an allocation number (optional)' },
  enter: { he: 'הקלדת מספר הקצאה…', en: 'Type in an allocation number…' },
  report: { he: 'דיווח על התרומה עכשיו', en: 'Report the donation now' },
  reportLate: { he: 'דיווח על התרומה…', en: 'Report the donation…' },
  cancelReport: { he: 'ביטול הדיווח על התרומה…', en: 'Cancel the report of the donation…' },
  noActions: {
    he: 'רק בעלים ומפיקי מסמכים יכולים לשנות דבר.',
    en: 'Only owners and issuers can change anything.',
  },
} as const satisfies Record<string, Words>;

/** What was typed to send a document to, where nothing can be sent to it. */
export interface WrongRecipient {
  readonly recipient: string;
  readonly channel: 'email' | 'whatsapp';
}

/** What an owner or an issuer can do with a document; nothing where there is nothing to do. */
export function actions(
  visit: MemberVisit,
  document: IssuedDocument,
  state: DocumentState,
  allocation: Allocation | null,
  messages: readonly Message[],
  wrong: WrongRecipient | null,
): Markup {
  const { csrfToken, t, role } = visit;
  const at = (path: string) => visit.link(`/documents/${document.id}${path}`);
  const isCancelled = state.status === 'cancelled';
  const isDonation = document.type === 'donation_receipt';
  // What can be done about a refused invoice is on a card of its own.
  const retried = ['pending', 'dead_lettered', ...(isDonation ? ['refused'] : [])];
  const canRetry = allocation && retried.includes(allocation.state) && !allocation.is_final;
  const retryWord = isDonation ? texts.report : texts.retry;
  const retryButton = button({ text: t(retryWord), kind: 'secondary' });
  const isLate = canReportLate(document, state, visit.book);
  const report =
    isLate &&
    isAtLeast(role, 'owner') &&
    linkButton({ href: at('/report-donation'), text: t(texts.reportLate) });
  const retry = canRetry && !isLate && postForm(at('/allocation'), csrfToken, retryButton);
  const byHand = numberActs(visit, document, state, allocation);
  const cancelReport =
    canCancelReport(state) &&
    isAtLeast(role, 'owner') &&
    linkButton({ href: at('/cancel-donation'), text: t(texts.cancelReport), kind: 'danger' });
  const sending = isCancelled ? null : sendingForms(visit, document, messages, wrong);
  if ([retry, report, byHand, sending, cancelReport].every((act) => !act)) {
    return html``;
  }
  const buttons = html`<div class="buttons">
  ${report}
  ${cancelReport}
</div>`;
  const content = isAtLeast(role, 'issuer')
    ? html`${retry}
${byHand}
${sending}
${report || cancelReport ? buttons : null}`
    : html`<p>${t(texts.noActions)}</p>`;
  return card({ id: 'actions', title: t(texts.actions), content });
}

const canHaveNumber = (document: IssuedDocument, state: DocumentState, { book }: MemberVisit): boolean =>
  state.allocation_number === null && whyNoNumber(document, book, dayInIsrael(new Date())) === null;

/** Requesting a number that is not needed, and typing in one that was got elsewhere. */
function numberActs(
  visit: MemberVisit,
  document: IssuedDocument,
  state: DocumentState,
  allocation: Allocation | null,
): Markup | null {
  if (!canHaveNumber(document, state, visit)) {
    return null;
  }
  const { csrfToken, t, link, role } = visit;
  const at = link(`/documents/${document.id}`);
  const request =
    allocation === null &&
    postForm(`${at}/request-number`, csrfToken, button({ text: t(texts.request), kind: 'secondary' }));
  const enter =
    isAtLeast(role, 'owner') && linkButton({ href: `${at}/number`, text: t(texts.enter), kind: 'secondary' });
  return request || enter
    ? html`<div class="buttons">
  ${request}
  ${enter}
</div>`
    : null;
}

/** Sending what has failed again, or to another address. */
function sendingForms(
  visit: MemberVisit,
  document: IssuedDocument,
  messages: readonly Message[],
  wrong: WrongRecipient | null,
): Markup {
  const { csrfToken, t } = visit;
  const { email, phone } = document.customer;
  const at = (path: string) => visit.link(`/documents/${document.id}${path}`);
  // A reminder is repeated by another one, within the rule of three days.
  const failed = messages.filter(({ state, reminder }) => state === 'failed' && !reminder);
  const suppressed = new Set(
    failed.filter((message) => message.suppressed).map(({ recipient }) => recipient),
  );
  const again = button({ text: t(texts.resend), kind: 'secondary' });
  const resend =
    failed.length > 0 &&
    failed.some((message) => !message.suppressed) &&
    postForm(at('/resend'), csrfToken, again);
  const allow = [...suppressed].map((address) =>
    postForm(
      visit.link('/suppressions/remove'),
      csrfToken,
      html`${hidden('address', address)}
  ${hidden('document', document.id)}
  <p>${t(texts.suppressed)} ${leftToRight(address)}</p>
  ${button({ text: t(texts.allow), kind: 'secondary' })}`,
    ),
  );
  const known = [email, phone].find((address) => address !== null && !suppressed.has(address));
  return html`${resend}
${allow}
<h3 id="send">${t(texts.send)}</h3>
${suppressed.size > 0 && html`<p class="hint">${t(texts.suppressedMore)}</p>`}
${sendForm(visit, at('/send'), known ?? '', wrong)}`;
}

function sendForm(
  { csrfToken, t }: MemberVisit,
  action: string,
  known: string,
  wrong: WrongRecipient | null,
): Markup {
  const address = field({
    name: 'recipient',
    label: t(texts.recipient),
    value: wrong?.recipient ?? known,
    error: wrong ? t(texts.recipientWrong) : undefined,
    required: true,
    ltr: true,
  });
  const channel = choice({
    name: 'channel',
    label: t(texts.channel),
    value: wrong?.channel ?? 'email',
    options: [
      ['email', t(texts.email)],
      ['whatsapp', t(texts.whatsapp)],
    ],
  });
  return form({
    action,
    csrfToken,
    content: html`${hidden('delivery_id', crypto.randomUUID())}
${address}
${channel}`,
    acts: button({ text: t(texts.sendButton), kind: 'secondary' }),
  });
}
