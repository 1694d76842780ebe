import { createSignInLink, invitePerson, listPeople, memberRoles, removePerson } from '@pinkas/contracts';
import { businessId, type Kind, oneOf } from '../builder/arguments.js';
import { noBusiness } from '../builder/calls.js';
import type { Command } from '../builder/command.js';
import { listed } from '../builder/table.js';
import { UsageError } from '../builder/usage-error.js';
import { callVerb } from '../builder/verb.js';

const business = { value: 'ID', meaning: 'the business', required: true, kind: businessId } as const;

/** What the console knows as an address is its own decision; this finds a forgotten argument. */
const emailAddress: Kind<string> = {
  read: (text) => {
    if (!/^\S+@\S+$/.test(text)) {
      throw new UsageError(`"${text}" is not an email address`);
    }
    return text;
  },
};

/** `pinkas person …` */
export const personCommands: readonly Command[] = [
  callVerb('person invite', {
    summary: 'lets a person use the console for a business, or changes the role, and sends a link to sign in',
    arguments: { EMAIL: emailAddress },
    options: {
      business,
      role: {
        value: memberRoles.join('|'),
        meaning: 'an owner changes everything, an issuer issues documents, a bookkeeper reads and exports',
        required: true,
        kind: oneOf(memberRoles),
      },
    },
    contract: invitePerson,
    request: ({ EMAIL, role, ...values }) => ({ business_id: values.business, email: EMAIL, role }),
    missing: (values) => noBusiness(values.business),
    print: ({ email, role, business_id }) =>
      `${email} is ${role} of ${business_id}\nA link without a mail: pinkas person link ${email}`,
  }),
  callVerb('person list', {
    summary: 'lists who may use the console for a business',
    options: { business },
    contract: listPeople,
    request: (values) => ({ business_id: values.business }),
    print: ({ people }, values) =>
      listed(
        people,
        {
          email: ({ email }) => email,
          role: ({ role }) => role,
          invited: (person) => person.invited_at,
          joined: (person) => person.joined_at ?? '-',
        },
        `Nobody may use the console for it: pinkas person invite EMAIL --business ${values.business} --role owner`,
      ),
  }),
  callVerb('person remove', {
    summary: 'takes a business away from a person at once, also from its last owner',
    arguments: { EMAIL: emailAddress },
    options: { business },
    contract: removePerson,
    request: ({ EMAIL, ...values }) => ({ business_id: values.business, email: EMAIL }),
    missing: ({ EMAIL, business: id }) =>
      `${EMAIL} may not use ${id}: pinkas person list --business ${id} shows who may`,
    print: ({ email, role, business_id }) => `Removed ${email} (${role}) from ${business_id}`,
  }),
  callVerb('person link', {
    summary: 'prints a link that signs a person in to the console once, within 15 minutes',
    arguments: { EMAIL: emailAddress },
    contract: createSignInLink,
    request: ({ EMAIL }) => ({ email: EMAIL }),
    missing: ({ EMAIL }) =>
      `No person has the address ${EMAIL}: pinkas person invite ${EMAIL} --business ID --role owner`,
    print: ({ url, expires_at }) => `${url}\n\nIt signs in once, until ${expires_at}.`,
  }),
];
