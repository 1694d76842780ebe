import {
  createSignInLink,
  invitePerson,
  listPeople,
  type MemberRole,
  memberRoles,
  removePerson,
} from '@pinkas/contracts';
import { notFoundAs, readId } from './arguments.js';
import type { Command } from './command.js';
import { table } from './table.js';
import { UsageError } from './usage-error.js';

const business = { value: 'ID', meaning: 'the business', required: true } as const;

function readRole(text: string | undefined): MemberRole {
  const role = memberRoles.find((known) => known === text);
  if (role === undefined) {
    throw new UsageError(`--role takes ${memberRoles.join(', ')}, not "${text ?? ''}"`);
  }
  return role;
}

/** What the console knows as an address is its own decision; this finds a forgotten argument. */
function readEmail(text: string | undefined): string {
  if (text === undefined || !/^\S+@\S+$/.test(text)) {
    throw new UsageError(`"${text ?? ''}" is not an email address`);
  }
  return text;
}

/** `pinkas person …` */
export const personCommands: readonly Command[] = [
  {
    noun: 'person',
    verb: 'invite',
    summary: 'lets a person use the console for a business, or changes the role, and sends a link to sign in',
    arguments: ['EMAIL'],
    options: {
      business,
      role: {
        value: memberRoles.join('|'),
        meaning: 'an owner changes everything, an issuer issues documents, a bookkeeper reads and exports',
        required: true,
      },
    },
    run: async ({ arguments: { EMAIL }, options }, call) => {
      const id = readId(options.business, 'business list');
      const email = readEmail(EMAIL);
      const role = readRole(options.role);
      const member = await notFoundAs(
        call(invitePerson, { business_id: id, email, role }),
        `No business has the id ${id}: pinkas business list shows them`,
      );
      return {
        json: member,
        text: `${member.email} is ${member.role} of ${member.business_id}\nA link without a mail: pinkas person link ${member.email}`,
      };
    },
  },
  {
    noun: 'person',
    verb: 'list',
    summary: 'lists who may use the console for a business',
    arguments: [],
    options: { business },
    run: async ({ options }, call) => {
      const id = readId(options.business, 'business list');
      const { people } = await call(listPeople, { business_id: id });
      const rows = people.map(({ email, role, invited_at, joined_at }) => [
        ...[email, role, invited_at, joined_at ?? '-'],
      ]);
      return {
        json: people,
        text:
          rows.length === 0
            ? `Nobody may use the console for it: pinkas person invite EMAIL --business ${id} --role owner`
            : table(['email', 'role', 'invited', 'joined'], rows),
      };
    },
  },
  {
    noun: 'person',
    verb: 'remove',
    summary: 'takes a business away from a person at once, also from its last owner',
    arguments: ['EMAIL'],
    options: { business },
    run: async ({ arguments: { EMAIL }, options }, call) => {
      const id = readId(options.business, 'business list');
      const email = readEmail(EMAIL);
      const member = await notFoundAs(
        call(removePerson, { business_id: id, email }),
        `${email} may not use ${id}: pinkas person list --business ${id} shows who may`,
      );
      return { json: member, text: `Removed ${member.email} (${member.role}) from ${member.business_id}` };
    },
  },
  {
    noun: 'person',
    verb: 'link',
    summary: 'prints a link that signs a person in to the console once, within 15 minutes',
    arguments: ['EMAIL'],
    options: {},
    run: async ({ arguments: { EMAIL } }, call) => {
      const email = readEmail(EMAIL);
      const link = await notFoundAs(
        call(createSignInLink, { email }),
        `No person has the address ${email}: pinkas person invite ${email} --business ID --role owner`,
      );
      return { json: link, text: `${link.url}\n\nIt signs in once, until ${link.expires_at}.` };
    },
  },
];
