import type { DocumentState, IssuedDocument } from '@pinkas/contracts';
import { documentTypeRules, documentTypes, mayIssue } from '@pinkas/domain';
import { card, html, linkButton, type Markup, type Words } from '@pinkas/ui';
import type { MemberVisit } from '../../http/visit.js';
import { isAtLeast } from '../../session/roles.js';
import { balanceOf, typeName } from '../parts.js';
import { words } from '../words.js';

const texts = {
  title: { he: 'הפקה מהמסמך', en: 'Convert to' },
  copy: { he: 'שכפול', en: 'Duplicate' },
} as const satisfies Record<string, Words>;

/** The way to a new document, as the primary act of a page; null for who issues none. */
export const issueAct = ({ language, link, role }: MemberVisit): Markup | null =>
  isAtLeast(role, 'issuer')
    ? linkButton({ href: link('/issue'), text: words.issue[language], kind: 'primary' })
    : null;

/** What can be issued on the basis of a document, and its copy; null for who issues nothing. */
export function issueLinks(
  visit: MemberVisit,
  document: IssuedDocument,
  state: DocumentState,
): Markup | null {
  const { id, type: source } = document;
  const { business, language, link, role } = visit;
  const balance = balanceOf(document, state);
  const legalType = business.legal_type;
  if (!isAtLeast(role, 'issuer') || legalType === null) {
    return null;
  }
  // A credit note has a page of its own, among the actions.
  const follow = documentTypes.filter(
    (type) =>
      type !== 'credit_note' &&
      state.status !== 'cancelled' &&
      // What is settled asks for no receipt.
      (type !== 'receipt' || balance === null || balance > 0) &&
      documentTypeRules[type].sources.includes(source) &&
      mayIssue(legalType, type),
  );
  const links = follow.map((type) =>
    linkButton({ href: link('/issue/document', { type, from: id }), text: typeName(type, language) }),
  );
  const copy =
    source !== 'credit_note' &&
    linkButton({
      href: link('/issue/document', { type: source, copy: id }),
      text: texts.copy[language],
      kind: 'quiet',
    });
  return links.length === 0 && !copy
    ? null
    : card({
        id: 'issue-from',
        title: texts.title[language],
        content: html`<div class="buttons">
  ${links}
  ${copy}
</div>`,
      });
}
