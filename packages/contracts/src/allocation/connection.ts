import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { Instant, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';

/**
 * The connection of a business to the authority. `expiring`: the owner has to log in again within 15 days. `ended`: the owner
 * has to log in before a number can be requested.
 */
export const AuthorityConnection = Strict({
  business_id: Uuid,
  state: Type.Enum(['connected', 'expiring', 'ended']),
  /** Since when it is connected; of an ended one, since when it is not. */
  since: Instant,
  /** By when the owner has to log in again; null where the authority did not say, or where it has ended. */
  until: Nullable(Instant),
  /** When the owner logged in last. */
  connected_at: Instant,
  /** Who issues, to the authority: the name or the id of the person who logged in. Absent: not known. */
  person: Type.Optional(Type.String()),
});
export type AuthorityConnection = Static<typeof AuthorityConnection>;

/** Of the person who issues, as the authority takes it: with a character that is neither a blank nor 0. */
const PersonName = Type.String({ minLength: 1, maxLength: 25, pattern: '[^ 0]' });

/**
 * Starts a connection: makes an address at the authority where the owner logs in. An earlier address becomes invalid. Only the
 * person who started it completes it; what the operator started needs the address alone.
 */
export const startConnection = defineContract('allocation.connection.start', {
  request: Strict({
    business_id: Uuid,
    person_id: PersonId,
    /** The page that completes it for the person, to which the gateway leads the browser that returns from the authority. */
    return_url: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    /** Who logs in, as requests name who issues: an id, or a name. Without either no number is given (446). */
    user_id: Type.Optional(Type.String({ pattern: '^[0-9]{9}$' })),
    user_name: Type.Optional(PersonName),
  }),
  reply: Strict({ authorize_url: Type.String(), requested_at: Instant, expires_at: Instant }),
});

/** Completes a connection with the parameters that the authority's redirect of the owner's browser carries. */
export const completeConnection = defineContract('allocation.connection.complete', {
  request: Strict({
    /** Only the request of this business is completed; absent: whichever the state belongs to. */
    business_id: Type.Optional(Uuid),
    /** Who is signed in at the browser that returned. */
    person_id: PersonId,
    state: Type.String({ minLength: 1, maxLength: 200 }),
    /** Null: the authority sent the browser back without one, since the owner did not agree. */
    code: Nullable(Type.String({ minLength: 1, maxLength: 4_096 })),
  }),
  reply: Strict({
    /**
     * `stale`: the state is unknown, used or too old. `failed`: the authority gave no tokens; it has to be started again.
     * `other_person`: somebody else started it, and may still complete it.
     */
    outcome: Type.Enum(['connected', 'stale', 'failed', 'other_person']),
    /** Null where the outcome is `stale` or `other_person`. */
    business_id: Nullable(Uuid),
    /** Where the person who started it completes it; only for `other_person`. */
    return_url: Type.Optional(Type.String()),
    /** Why it failed, in plain words. */
    reason: Nullable(Type.String()),
  }),
  timeoutMs: timeLimitsMs.completeConnection,
});

/** The connection of one business, and the one that is being made. */
export const showConnection = defineContract('allocation.connection.show', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({
    /** Null: it was never connected. */
    connection: Nullable(AuthorityConnection),
    /** The state of the address that was made last; null when it has led to a connection, or none was made. */
    request: Nullable(
      Strict({
        requested_at: Instant,
        expires_at: Instant,
        /** `open`: it was not used yet. `used`: the code is being exchanged. `failed`: with the reason. */
        state: Type.Enum(['open', 'used', 'failed']),
        reason: Nullable(Type.String()),
      }),
    ),
    /** Whether the uniform structure may be transmitted (`TAX_AUTHORITY_TRANSMISSION`). */
    transmission: Type.Optional(Type.Boolean()),
  }),
});

/** Ends a connection: its tokens are deleted, and no number can be requested until the owner connects again. */
export const endConnection = defineContract('allocation.connection.end', {
  request: Strict({ business_id: Uuid, person_id: PersonId }),
  /** Whether there was one. */
  reply: Strict({ ended: Type.Boolean() }),
  // It waits for a renewal of the tokens in flight.
  timeoutMs: timeLimitsMs.endConnection,
});

/** Every connection, a page at a time, in the order of the businesses' ids. */
export const listConnections = defineContract('allocation.connection.list', {
  request: Strict({ after: Type.Optional(Uuid), limit: Type.Integer({ minimum: 1, maximum: 500 }) }),
  reply: Strict({
    connections: Type.Array(AuthorityConnection),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(Uuid),
  }),
});
