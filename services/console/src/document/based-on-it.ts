import type { listDocuments, ReplyOf, RequestOf } from '@pinkas/contracts';
import { card, html, type Markup, type Words } from '@pinkas/ui';
import { documentTable } from '../frame/parts.js';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  based: { he: 'על בסיס המסמך הזה', en: 'Based on this document' },
  more: { he: 'למסמכים הקודמים', en: 'Earlier documents' },
} as const satisfies Record<string, Words>;

const shownMax = 20;

/** What lists the documents that are based on the document of a page: its receipts, credit notes, invoices. */
export function basedOnItRequest({ bookId, params, query }: MemberVisit): RequestOf<typeof listDocuments> {
  const before = Number(query.get('based'));
  return {
    business_id: bookId,
    based_on: params.id ?? '',
    include_cancelled: true,
    settlement: true,
    limit: shownMax,
    before: Number.isSafeInteger(before) && before > 0 ? before : null,
  };
}

/** The documents that are based on this one, the latest first; null where there are none. */
export function basedOnIt(
  visit: MemberVisit,
  { documents, next_before: next }: ReplyOf<typeof listDocuments>,
): Markup | null {
  const { language, t, params } = visit;
  if (documents.length === 0) {
    return null;
  }
  const href = visit.link(`/documents/${params.id}`, { based: String(next) });
  const more = next === null ? null : html`<p><a href="${href}">${t(texts.more)}</a></p>`;
  const list = documentTable(documents, (id) => visit.link(`/documents/${id}`), language, true);
  return card({
    id: 'based',
    title: t(texts.based),
    kind: 'flush',
    content: html`${list}
${more}`,
  });
}
