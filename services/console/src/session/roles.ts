import { type MemberRole, memberRoles } from '@pinkas/contracts';
import type { Words } from '@pinkas/ui';

export const roleNames = {
  owner: { he: 'בעלים', en: 'Owner' },
  issuer: { he: 'מפיק/ת מסמכים', en: 'Issuer' },
  bookkeeper: { he: 'מנהל/ת חשבונות', en: 'Bookkeeper' },
} as const satisfies Record<MemberRole, Words>;

/** Whether a role may do what another one may: each may what those below it may. */
export function isAtLeast(role: MemberRole, least: MemberRole): boolean {
  return memberRoles.indexOf(role) <= memberRoles.indexOf(least);
}
