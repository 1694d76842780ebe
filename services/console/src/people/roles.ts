import { type MemberRole, memberRoles } from '@pinkas/contracts';

/** Whether a role may do what another one may: each may what those below it may. */
export function isAtLeast(role: MemberRole, least: MemberRole): boolean {
  return memberRoles.indexOf(role) <= memberRoles.indexOf(least);
}
