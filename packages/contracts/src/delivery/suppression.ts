import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { Instant, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { MessageChannel } from '../schema/message.js';
import { timeLimitsMs } from '../time-limits.js';

/**
 * What delivery knows of the addresses of a customer, for the outcome in the reply to an issue request (`decideDelivery` of the
 * domain).
 */
export const checkRecipient = defineContract('delivery.recipient.check', {
  request: Strict({
    business_id: Uuid,
    addresses: Type.Array(Strict({ channel: MessageChannel, address: Type.String() }), { maxItems: 2 }),
  }),
  reply: Strict({
    /** The channels whose address is suppressed. */
    suppressed: Type.Array(MessageChannel),
    whatsapp_configured: Type.Boolean(),
  }),
  timeoutMs: timeLimitsMs.checkRecipient,
});

/** An address that gets no messages of a business. */
export const Suppression = Strict({
  business_id: Uuid,
  channel: MessageChannel,
  /** A mail address in lower case with its domain in ASCII, or a phone number in E.164. */
  address: Type.String(),
  /** `bounced`: its provider rejected it as unknown; `blocked`: an operator suppressed it. */
  reason: Type.Enum(['bounced', 'blocked']),
  /** The provider's response, or the operator's reason. */
  detail: Nullable(Type.String()),
  since: Instant,
});
export type Suppression = Static<typeof Suppression>;

const addressOfBusiness = {
  business_id: Uuid,
  /** A mail address or a phone number as a person writes it. */
  address: Type.String({ minLength: 1, maxLength: 254 }),
};

/** Suppresses an address. One that is suppressed already stays as it was. */
export const suppressAddress = defineContract('delivery.suppression.add', {
  request: Strict({
    ...addressOfBusiness,
    detail: Nullable(Type.String({ minLength: 1, maxLength: 200 })),
    person_id: PersonId,
  }),
  reply: Suppression,
  errors: ['validation_error'],
});

/** Allows messages to an address again. Those that have failed are not resent. */
export const unsuppressAddress = defineContract('delivery.suppression.remove', {
  request: Strict({ ...addressOfBusiness, person_id: PersonId }),
  reply: Suppression,
  errors: ['validation_error', 'not_found'],
});

/** The end of a page of suppressions. */
export const SuppressionPosition = Strict({
  business_id: Uuid,
  channel: MessageChannel,
  address: Type.String(),
});

/** The suppressed addresses in the order of business, channel and address, a page at a time. */
export const listSuppressions = defineContract('delivery.suppression.list', {
  request: Strict({
    /** Without it those of every business. */
    business_id: Type.Optional(Uuid),
    /** Only those that come after this one. */
    after: Type.Optional(SuppressionPosition),
  }),
  reply: Strict({
    suppressions: Type.Array(Suppression),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(SuppressionPosition),
  }),
});

/**
 * Lifts the suppressions of addresses that were rejected while the mail server refused us: its answer is about the sender, the relay
 * or access, or it rejected several domains in a row and took nothing between. At most 200 in one call.
 */
export const liftSuppressions = defineContract('delivery.suppression.lift', {
  request: Strict({
    /** Without it those of every business. */
    business_id: Type.Optional(Uuid),
    list_only: Type.Boolean(),
  }),
  reply: Strict({
    suppressions: Type.Array(Suppression),
    /** Whether there are more. */
    more: Type.Boolean(),
  }),
});
