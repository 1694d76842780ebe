import Type, { type Static } from 'typebox';
import { defineContract } from './define.js';
import { allocationStatuses } from './document.js';
import { Instant, Nullable, Strict, Uuid } from './fields.js';

/* Allocation: what an operator asks of the tax authority's side. */

/**
 * How a document stands with the authority. `asking`: a try is due, or under way. `issued`, `refused`: the authority's words.
 * `given_up`: no further try is made by itself. The others never needed a number.
 */
export const allocationStates = [
  ...allocationStatuses.filter((status) => status !== 'failed'),
  'asking',
  'refused',
  'given_up',
] as const;
export type AllocationState = (typeof allocationStates)[number];

const State = Type.Enum([...allocationStates]);

/**
 * Asks the authority for the number of a document now, whatever was decided or given up before: after a won objection, or when
 * what was wrong is mended. Asks under the same `invoice_id` as ever, and looks the number up first where it may have been granted.
 */
export const retryAllocation = defineContract('allocation.document.retry', {
  request: Strict({ document_id: Uuid }),
  reply: Strict({
    business_id: Uuid,
    document_id: Uuid,
    /** `not_retryable`: there is nothing to ask for; `number` and `reason` say why. */
    outcome: Type.Enum(['issued', 'refused', 'failed', 'not_retryable']),
    /** The printed one, nine digits. */
    number: Nullable(Type.String()),
    /** The authority's codes of a refusal. */
    refusal_codes: Type.Array(Type.String()),
    /** In plain words; null only for `issued`. */
    reason: Nullable(Type.String()),
    /** When it is asked again by itself; null: not by itself. */
    next_attempt_at: Nullable(Instant),
  }),
  problems: ['not_found'],
  timeoutMs: 30_000,
});

/** Where a list of parked documents goes on. */
const ParkedPosition = Strict({ decided_at: Instant, document_id: Uuid });

/** The documents whose number was given up, of every business, the oldest first; until an operator asks again. */
export const listGivenUpAllocations = defineContract('allocation.given_up.list', {
  request: Strict({
    after: Type.Optional(ParkedPosition),
    limit: Type.Integer({ minimum: 1, maximum: 500 }),
  }),
  reply: Strict({
    documents: Type.Array(
      Strict({
        document_id: Uuid,
        business_id: Uuid,
        /** Why, and what has to be done about it. */
        reason: Type.String(),
        attempts: Type.Integer(),
        given_up_at: Instant,
      }),
    ),
    /** Ask again with `after` to go on; null at the end. */
    next_after: Nullable(ParkedPosition),
  }),
});

/** How documents of one business stand, for a proof of the book. */
export const auditAllocations = defineContract('allocation.document.audit', {
  request: Strict({ business_id: Uuid, document_ids: Type.Array(Uuid, { maxItems: 100 }) }),
  reply: Strict({
    /** One for each id, in the order of the request. */
    documents: Type.Array(
      Strict({
        document_id: Uuid,
        /** Null: nothing is recorded of the document here. */
        state: Nullable(State),
        number: Nullable(Type.String()),
        /** When it is asked for next; a try that is under way counts as due. */
        next_attempt_at: Nullable(Instant),
      }),
    ),
  }),
});

/**
 * The connection of a business to the authority. `expiring`: the owner has to log in again within 14 days. `ended`: the owner
 * has to log in before a number can be asked for.
 */
export const AuthorityConnection = Strict({
  business_id: Uuid,
  state: Type.Enum(['connected', 'expiring', 'ended']),
  /** Since when it is connected; of an ended one, since when it is not. */
  since: Instant,
  /** When the owner has to have logged in again; null where the authority did not say, or where it has ended. */
  until: Nullable(Instant),
  /** When the owner logged in last. */
  connected_at: Instant,
});
export type AuthorityConnection = Static<typeof AuthorityConnection>;

/** Begins a connection: an address at the authority, which the owner opens and logs in at. An earlier address ends. */
export const startConnection = defineContract('allocation.connection.start', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({ authorize_url: Type.String(), requested_at: Instant, expires_at: Instant }),
});

/** Turns what the authority sent the owner's browser back with into a connection. */
export const completeConnection = defineContract('allocation.connection.complete', {
  request: Strict({
    /** Only the request of this business is completed; absent: whichever the state belongs to. */
    business_id: Type.Optional(Uuid),
    state: Type.String({ minLength: 1, maxLength: 200 }),
    /** Null: the authority sent the browser back without one, since the owner did not agree. */
    code: Nullable(Type.String({ minLength: 1, maxLength: 4_096 })),
  }),
  reply: Strict({
    /** `stale`: the state is unknown, used or too old. `failed`: the authority gave no tokens; it has to be started again. */
    outcome: Type.Enum(['connected', 'stale', 'failed']),
    /** Null where the outcome is `stale`. */
    business_id: Nullable(Uuid),
    /** Why it failed, in plain words. */
    reason: Nullable(Type.String()),
  }),
  timeoutMs: 8_000,
});

/** The connection of one business, and the one that is being made. */
export const showConnection = defineContract('allocation.connection.show', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({
    /** Null: it was never connected. */
    connection: Nullable(AuthorityConnection),
    /** What became of the address that was made last; null when it has led to a connection, or none was made. */
    request: Nullable(
      Strict({
        requested_at: Instant,
        expires_at: Instant,
        /** `open`: nobody came back with it. `used`: the authority is being asked. `failed`: with the reason. */
        state: Type.Enum(['open', 'used', 'failed']),
        reason: Nullable(Type.String()),
      }),
    ),
  }),
});

/** Every connection, a page at a time, in the order of the businesses' ids. */
export const listConnections = defineContract('allocation.connection.list', {
  request: Strict({ after: Type.Optional(Uuid), limit: Type.Integer({ minimum: 1, maximum: 500 }) }),
  reply: Strict({
    connections: Type.Array(AuthorityConnection),
    /** Ask again with `after` to go on; null at the end. */
    next_after: Nullable(Uuid),
  }),
});
