import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { Instant, Nullable, Strict, Uuid } from '../schema/fields.js';

/**
 * What a person may do in a business, from the most to the least: a bookkeeper reads and exports, an issuer also issues, sends,
 * credits and cancels documents, an owner also changes settings, people and keys.
 */
export const memberRoles = ['owner', 'issuer', 'bookkeeper'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** A person who may use the console for a business. */
export const Member = Strict({
  person_id: Uuid,
  business_id: Uuid,
  email: Type.String(),
  role: Type.Enum([...memberRoles]),
  invited_at: Instant,
  /** When the invitation was rejected, or expired unsent; null: it was not. */
  undelivered_at: Nullable(Instant),
  /** When the person first opened the business; null: they have not come yet. */
  joined_at: Nullable(Instant),
});
export type Member = Static<typeof Member>;

/** As a person writes it: the console compares addresses in lower case, with their domain in ASCII. */
const email = Type.String({ minLength: 1, maxLength: 254 });

/** Lets a person use the console for a business, and sends a link to sign in. Repeated with another role, it changes the role. */
export const invitePerson = defineContract('console.person.invite', {
  request: Strict({ business_id: Uuid, email, role: Type.Enum([...memberRoles]) }),
  reply: Member,
  errors: ['not_found', 'validation_error'],
  unknownMembers: 'refused',
});

/** Everybody who may use the console for a business, in the order of their addresses. */
export const listPeople = defineContract('console.person.list', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({ people: Type.Array(Member) }),
});

/** Takes a business away from a person, at once. */
export const removePerson = defineContract('console.person.remove', {
  request: Strict({ business_id: Uuid, email }),
  reply: Member,
  errors: ['not_found'],
});

/** Makes a link with which a person signs in once, for an operator who hands it over: without a mail. */
export const createSignInLink = defineContract('console.sign_in_link.create', {
  request: Strict({ email }),
  reply: Strict({ url: Type.String(), expires_at: Instant }),
  errors: ['not_found'],
});
