import { type MemberRole, memberRoles } from '@pinkas/contracts';
import { type Language, type Markup, radios } from '@pinkas/ui';
import { words } from '../../frame/words.js';
import { peopleWords as texts } from './people-words.js';

const hints = {
  owner: texts.ownerHint,
  issuer: texts.issuerHint,
  bookkeeper: texts.bookkeeperHint,
} as const;

/** The choice of a role. */
export function roleField(chosen: MemberRole, language: Language): Markup {
  const options = memberRoles.map((role) => [role, words[role][language], hints[role][language]] as const);
  return radios({ name: 'role', label: texts.role[language], value: chosen, options });
}

/** The role of a form; the least where it names none. */
export function readRole(form: URLSearchParams): MemberRole {
  return memberRoles.find((role) => role === form.get('role')) ?? 'bookkeeper';
}
