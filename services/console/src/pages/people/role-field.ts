import { type MemberRole, memberRoles } from '@pinkas/contracts';
import { html, type Language, type Markup } from '@pinkas/ui';
import { words } from '../words.js';
import { peopleWords as texts } from './people-words.js';

const hints = {
  owner: texts.ownerHint,
  issuer: texts.issuerHint,
  bookkeeper: texts.bookkeeperHint,
} as const;

/** The choice of a role. */
export function roleField(chosen: MemberRole, language: Language): Markup {
  const options = memberRoles.map(
    (role) =>
      html`<label class="choice"><input type="radio" name="role" value="${role}"${role === chosen && html` checked`}> <span><strong>${words[role][language]}</strong> – ${hints[role][language]}</span></label>`,
  );
  return html`<fieldset><legend>${texts.role[language]}</legend>${options}</fieldset>`;
}

/** The role of a form; the least where it names none. */
export function readRole(form: URLSearchParams): MemberRole {
  return memberRoles.find((role) => role === form.get('role')) ?? 'bookkeeper';
}
