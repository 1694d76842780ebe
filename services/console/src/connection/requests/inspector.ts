import { type findDocumentByKey, isMaskedKey, type ListedRequest, type ReplyOf } from '@pinkas/contracts';
import { card, dayAndTime, facts, html, isolate, leftToRight, type Markup, type Words } from '@pinkas/ui';
import { documentName, statusBadge } from '../../frame/parts.js';
import type { MemberVisit } from '../../http/visit.js';
import { type RequestValues, requestFields } from './request-query.js';
import { requestWords } from './request-words.js';

const texts = {
  document: { he: 'המסמך', en: 'Its document' },
  issued: { he: 'הופק', en: 'Issued' },
  attempts: { he: 'ניסיונות ב-30 יום', en: 'Attempts in 30 days' },
  one: {
    he: 'המפתח הזה הפיק מסמך אחד. כל ניסיון נוסף עם אותו גוף מקבל את אותו מסמך, ואינו מפיק דבר.',
    en: 'This key has issued one document. Every other attempt with the same body is answered with it, and issues nothing.',
  },
  inProgress: {
    he: 'בקשה עם המפתח הזה מטופלת ברגע זה. יש לטעון את הדף שוב בעוד כמה שניות.',
    en: 'A request with this key is being worked on now. Load the page again in a few seconds.',
  },
  none: {
    he: 'המפתח הזה לא הפיק מסמך בספר הזה. אפשר לשלוח בו שוב את הבקשה, אחרי שתוקנה.',
    en: 'This key has issued no document in this book. The corrected request may be sent with it again.',
  },
  masked: {
    he: 'המפתח עצמו לא נשמר, כי ייתכן שהוא פרט אישי, סוד או מספר כרטיס. המסמך שלו מופיע בניסיונות שלהלן.',
    en: 'The key itself was not kept, since it may be personal, a secret or the number of a card. Its document is shown in the attempts below.',
  },
  away: {
    he: 'אי אפשר לבדוק כרגע אם הופק מסמך. יש לטעון את הדף שוב בעוד דקה.',
    en: 'Whether a document was issued cannot be found out right now. Load the page again in a minute.',
  },
} as const satisfies Record<string, Words>;

/**
 * What an idempotency key has come to: its document as issuing knows it, also where the log has lost an attempt or is too short.
 * @param attempts those of the page where it has them all, else null.
 */
export function inspector(
  visit: MemberVisit,
  values: RequestValues,
  reply: ReplyOf<typeof findDocumentByKey> | null,
  attempts: readonly ListedRequest[] | null,
): Markup {
  const { language, t, link } = visit;
  const found = reply?.found ?? null;
  const isOfKeyAlone = requestFields.every((name) => name === 'idempotency_key' || values[name] === '');
  const document =
    found &&
    html`<a href="${link(`/documents/${found.document.id}`)}">${documentName(found.document, language)}</a>
${found.state.status === 'cancelled' && statusBadge(found.document, found.state, language)}`;
  const content = facts(
    [
      [t(requestWords.idempotencyKey), html`<code>${isolate(values.idempotency_key, language)}</code>`],
      [t(texts.document), document],
      [t(texts.issued), found && dayAndTime(found.document.issued_at, language)],
      [t(texts.attempts), attempts === null || !isOfKeyAlone ? null : leftToRight(String(attempts.length))],
    ],
    language,
  );
  return card({
    id: 'idempotency-key',
    title: t(requestWords.idempotencyKey),
    titleHidden: true,
    content: html`<p>${t(texts[isMaskedKey(values.idempotency_key) ? 'masked' : outcomeOf(reply)])}</p>
${content}`,
  });
}

function outcomeOf(reply: ReplyOf<typeof findDocumentByKey> | null) {
  if (reply === null) {
    return 'away';
  }
  if (reply.found) {
    return 'one';
  }
  return reply.in_progress ? 'inProgress' : 'none';
}
