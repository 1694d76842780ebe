import type { DocumentState, IssuedDocument } from '@pinkas/contracts';
import { type DocumentType, documentTypeRules, documentTypes, mayIssue } from '@pinkas/domain';
import { linkButton, type Markup } from '@pinkas/ui';
import { balanceOf } from '../frame/parts.js';
import { words } from '../frame/words.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';

/** The way to a new document, by default as the primary act of a page; null for who issues none. */
export const issueAct = (
  { t, link, role }: MemberVisit,
  kind: 'primary' | 'secondary' = 'primary',
): Markup | null =>
  isAtLeast(role, 'issuer') ? linkButton({ href: link('/issue'), text: t(words.issue), kind }) : null;

/** The types that can be issued on the basis of a document. A credit note has a page of its own. */
export function followingTypes(
  { business }: MemberVisit,
  document: IssuedDocument,
  state: DocumentState,
): DocumentType[] {
  const balance = balanceOf(document, state);
  const legalType = business.legal_type;
  return documentTypes.filter(
    (type) =>
      type !== 'credit_note' &&
      state.status !== 'cancelled' &&
      // What is settled asks for no receipt.
      (type !== 'receipt' || balance === null || balance > 0) &&
      documentTypeRules[type].sources.includes(document.type) &&
      legalType !== null &&
      mayIssue(legalType, type),
  );
}
