import type { IssuedDocument, listArtifacts, ReplyOf } from '@pinkas/contracts';
import { html, leftToRight, type Words } from '@pinkas/ui';
import type { MemberVisit } from '../http/visit.js';
import type { TimelineStep } from './document-history.js';

const texts = {
  printed: { he: 'PDF, גרסה', en: 'PDF, revision' },
  original: { he: 'מקור', en: 'original' },
  copy: { he: 'העתק', en: 'copy' },
  replaced: { he: 'הוחלפה לפני שנשלחה', en: 'replaced before it was sent' },
  withNumber: { he: 'עם מספר הקצאה', en: 'with the allocation number' },
  withReport: { he: 'עם מספר הדיווח', en: 'with the number of the report' },
  notDeductible: {
    he: 'עם המשפט שאין לנכות מס תשומות',
    en: 'with the sentence that no input VAT is deducted',
  },
  saysCancelled: { he: 'מסומן כמבוטל', en: 'marked as cancelled' },
} as const satisfies Record<string, Words>;

type Revision = ReplyOf<typeof listArtifacts>['revisions'][number];

/** The stored PDFs of a document. */
export function revisionSteps(
  visit: MemberVisit,
  document: IssuedDocument,
  revisions: readonly Revision[],
): TimelineStep[] {
  // What was made before the customer got one is an original as well, and was never sent.
  const original = revisions.filter((revision) => revision.original).at(-1);
  return revisions.map((revision) => {
    const isReplaced = revision.original && revision !== original;
    return revisionStep(visit, document, revision, isReplaced ? 'replaced' : undefined);
  });
}

function revisionStep(
  visit: MemberVisit,
  document: IssuedDocument,
  revision: Revision,
  as: 'replaced' | 'original' | 'copy' = revision.original ? 'original' : 'copy',
): TimelineStep {
  const { t } = visit;
  const withNumber = document.type === 'donation_receipt' ? texts.withReport : texts.withNumber;
  const details = [
    t(texts[as]),
    ...(revision.allocation_number === null ? [] : [t(withNumber)]),
    ...(revision.not_deductible ? [t(texts.notDeductible)] : []),
    ...(revision.cancelled ? [t(texts.saysCancelled)] : []),
  ].join(', ');
  const href = visit.link(`/documents/${document.id}/pdf`, { revision: String(revision.revision) });
  return {
    at: revision.made_at,
    kind: 'done',
    text: html`<a href="${href}">${t(texts.printed)} ${leftToRight(String(revision.revision))}</a> (${details})`,
  };
}
