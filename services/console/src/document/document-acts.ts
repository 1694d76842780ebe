import type { DocumentState, IssuedDocument, Message } from '@pinkas/contracts';
import { type DocumentType, documentTypeRules } from '@pinkas/domain';
import { actMenu, linkButton, type Markup, type Words } from '@pinkas/ui';
import { balanceOf, typeName } from '../frame/parts.js';
import type { MemberVisit } from '../http/visit.js';
import { followingTypes } from '../issue/issue-links.js';
import { isAtLeast } from '../session/roles.js';

const texts = {
  more: { he: 'פעולות נוספות', en: 'More actions' },
  page: { he: 'דף המסמך', en: 'Hosted page' },
  pdf: { he: 'PDF חתום', en: 'Signed PDF' },
  send: { he: 'שליחה ללקוח', en: 'Send to the customer' },
  sendAgain: { he: 'שליחה לכתובת…', en: 'Send to an address…' },
  copy: { he: 'שכפול', en: 'Duplicate' },
  cancel: { he: 'ביטול המסמך…', en: 'Cancel the document…' },
  credit: { he: 'חשבונית זיכוי…', en: 'Credit note…' },
} as const satisfies Record<string, Words>;

interface Act {
  readonly href: string;
  readonly text: string;
  readonly isDanger?: boolean;
}

/** What usually follows a document, the first of them that is possible: what is invoiced before what is only delivered. */
const usual: readonly DocumentType[] = [
  'receipt',
  'tax_invoice',
  'tax_invoice_receipt',
  'delivery_note',
  'order',
];

/** Whether a message has brought the document to its customer, or may yet. */
const isSent = (messages: readonly Message[]): boolean =>
  messages.some(
    ({ purpose, reminder, state }) =>
      purpose === 'customer' && !reminder && state !== 'failed' && state !== 'withdrawn',
  );

/**
 * The acts of a document, at the head of its page: first the one that is next by its type and state – sending what its customer does not
 * have, the receipt of what is not paid, the invoice of what was offered – and the others in a menu.
 * @param messages null: they are not known now.
 */
export function documentActs(
  visit: MemberVisit,
  document: IssuedDocument,
  state: DocumentState,
  { messages, pageUrl }: { readonly messages: readonly Message[] | null; readonly pageUrl: string },
): { readonly primary: Markup; readonly secondary: readonly (Markup | null)[] } {
  const { t, link, role } = visit;
  const at = (path: string) => link(`/documents/${document.id}${path}`);
  const pdf: Act = { href: at('/pdf'), text: t(texts.pdf) };
  const hosted: Act = { href: pageUrl, text: t(texts.page) };
  const acts = isAtLeast(role, 'issuer') ? issuerActs(visit, document, state, messages) : [];
  // Nothing follows a cancelled document, but another one like it.
  const [first = pdf, ...others] = state.status === 'cancelled' ? [pdf, ...acts] : acts;
  const rest = [...others, hosted].map(({ href, text, isDanger }) =>
    linkButton({ href, text, kind: isDanger ? 'danger' : 'quiet' }),
  );
  return {
    primary: linkButton({ ...first, kind: 'primary' }),
    secondary: [first === pdf ? null : linkButton(pdf), actMenu(t(texts.more), rest)],
  };
}

/** The next act first. */
function issuerActs(
  visit: MemberVisit,
  document: IssuedDocument,
  state: DocumentState,
  messages: readonly Message[] | null,
): Act[] {
  const { id, type } = document;
  const { language, t, link } = visit;
  const isCancelled = state.status === 'cancelled';
  const mustSend = !isCancelled && messages !== null && !isSent(messages);
  const send: Act = { href: '#send', text: t(texts[mustSend ? 'send' : 'sendAgain']) };
  const following = followingTypes(visit, document, state).toSorted(
    (one, other) => placeOf(one) - placeOf(other),
  );
  const convert = following.map(
    (next): Act => ({
      href: link('/issue/document', { type: next, from: id }),
      text: typeName(next, language),
    }),
  );
  // Of nothing there is nothing to credit.
  const isCreditable = documentTypeRules.credit_note.sources.includes(type) && document.totals.total > 0;
  const credit: Act[] = isCreditable
    ? [{ href: link(`/documents/${id}/credit`), text: t(texts.credit) }]
    : [];
  const copy: Act[] =
    type === 'credit_note'
      ? []
      : [{ href: link('/issue/document', { type, copy: id }), text: t(texts.copy) }];
  const cancel: Act[] =
    documentTypeRules[type].cancellable && !isCancelled
      ? [{ href: link(`/documents/${id}/cancel`), text: t(texts.cancel), isDanger: true }]
      : [];
  const asks = (balanceOf(document, state) ?? 0) > 0 || state.status === 'open';
  const rest = [...credit, ...copy, ...cancel];
  if (isCancelled) {
    return copy;
  }
  if (mustSend) {
    return [send, ...convert, ...rest];
  }
  return convert.length > 0 && asks ? [...convert, send, ...rest] : [send, ...convert, ...rest];
}

const placeOf = (type: DocumentType): number => {
  const place = usual.indexOf(type);
  return place === -1 ? usual.length : place;
};
