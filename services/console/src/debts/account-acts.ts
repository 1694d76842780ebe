import { mayIssue } from '@pinkas/domain';
import { linkButton, type Markup, type Words } from '@pinkas/ui';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';

const texts = {
  receipt: { he: 'קבלה על כמה מסמכים', en: 'Receipt for several documents' },
  setOff: { he: 'קיזוז מזכות בחשבון', en: 'Set off credit' },
} as const satisfies Record<string, Words>;

/** What settles several open documents of a customer at once. @param onAccount what they have beyond them, in ILS. */
export function accountActs(
  { business, t, link, role }: MemberVisit,
  customerId: string,
  { open, onAccount }: { readonly open: number; readonly onAccount: number },
): Markup[] {
  if (open <= 0 || !isAtLeast(role, 'issuer')) {
    return [];
  }
  const receipt = linkButton({
    href: link('/issue/document', { type: 'receipt', account: customerId }),
    text: t(texts.receipt),
  });
  const setOff = linkButton({ href: link(`/customers/${customerId}/set-off`), text: t(texts.setOff) });
  const issues = business.legal_type !== null && mayIssue(business.legal_type, 'receipt');
  return [...(issues ? [receipt] : []), ...(onAccount > 0 ? [setOff] : [])];
}
