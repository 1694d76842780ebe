import Type, { type Static } from 'typebox';
import { defineContract } from './define.js';
import { documentTypes } from './document-types.js';
import { Instant, Nullable, Strict, Uuid } from './fields.js';

/* Delivery, for the operator: what did not arrive, what must not be written to, and what the books say of it. */

/** What one message goes out by. */
export const MessageChannel = Type.Enum(['email', 'whatsapp']);
/** Whom one message is for. */
export const MessagePurpose = Type.Enum(['customer', 'accountant']);

/**
 * Where a message stands. `waiting`: for the final PDF; `ready`: due at `next_attempt_at`; `sending`: it is being handed over,
 * or was when a process died; `sent`, `failed` and `withdrawn` are ends, of which `resend` takes up `failed` alone.
 */
export const MessageState = Type.Enum(['waiting', 'ready', 'sending', 'sent', 'failed', 'withdrawn']);

/** One message with where it stands. */
export const MessageStanding = Strict({
  delivery_id: Uuid,
  channel: MessageChannel,
  purpose: MessagePurpose,
  state: MessageState,
  /**
   * When it is tried next; of one that is being handed over, when it is taken up again if nobody says what came of that. Null at
   * an end, and while it waits for the PDF.
   */
  next_attempt_at: Nullable(Instant),
  /** The end of the quiet hours that it waits for, or has waited for. */
  not_before: Nullable(Instant),
  /** When it came to its end: sent, failed or withdrawn. */
  ended_at: Nullable(Instant),
  /** Why it has failed or was withdrawn, or what the last try came to. */
  reason: Nullable(Type.String()),
});
export type MessageStanding = Static<typeof MessageStanding>;

/**
 * Makes the failed messages of a document due again, as if they had never been tried, under the same Message-ID. Every other
 * message stays as it is. A failed message of a cancelled document is withdrawn instead.
 */
export const resendDelivery = defineContract('delivery.document.resend', {
  request: Strict({ document_id: Uuid }),
  reply: Strict({
    /** How many are due again. */
    resent: Type.Integer({ minimum: 0 }),
    /** All messages of the document as they stand now. */
    messages: Type.Array(MessageStanding),
    /** What was decided at issue: without a message it says why there is none. */
    planned: Type.String(),
  }),
  problems: ['not_found'],
});

/** One message that was given up. */
export const FailedMessage = Strict({
  delivery_id: Uuid,
  business_id: Uuid,
  document_id: Uuid,
  document_type: Type.Enum([...documentTypes]),
  document_number: Type.Integer(),
  channel: MessageChannel,
  purpose: MessagePurpose,
  recipient: Type.String(),
  /** The provider's own words where there are any. */
  reason: Type.String(),
  /** How often it was tried. */
  tries: Type.Integer({ minimum: 0 }),
  failed_at: Instant,
});
export type FailedMessage = Static<typeof FailedMessage>;

/** Where a page of failures ends: at an instant, and among those of one instant at an id. */
export const FailurePosition = Strict({ failed_at: Instant, delivery_id: Uuid });

/** The messages that were given up, the latest first, a page at a time. */
export const listDeliveryFailures = defineContract('delivery.failure.list', {
  request: Strict({
    /** Without it those of every business. */
    business_id: Type.Optional(Uuid),
    /** Only those that come after this one. */
    after: Type.Optional(FailurePosition),
  }),
  reply: Strict({
    failures: Type.Array(FailedMessage),
    /** Ask again with `after` to go on; null at the end. */
    next_after: Nullable(FailurePosition),
  }),
});

/** An address that a business does not write to any more. */
export const Suppression = Strict({
  business_id: Uuid,
  channel: MessageChannel,
  /** A mail address in lower case with its domain in ASCII, or a phone number in E.164. */
  address: Type.String(),
  /** `bounced`: its provider said that it does not exist; `blocked`: the operator said so. */
  reason: Type.Enum(['bounced', 'blocked']),
  /** The provider's words, or the operator's. */
  words: Nullable(Type.String()),
  since: Instant,
});
export type Suppression = Static<typeof Suppression>;

const addressOfBusiness = {
  business_id: Uuid,
  /** A mail address or a phone number as a person writes it. */
  address: Type.String({ minLength: 1, maxLength: 254 }),
};

/** Writes to an address no more. One that is suppressed already stays as it was. */
export const suppressAddress = defineContract('delivery.suppression.add', {
  request: Strict({ ...addressOfBusiness, words: Nullable(Type.String({ minLength: 1, maxLength: 200 })) }),
  reply: Suppression,
  problems: ['validation_error'],
});

/** Lets an address be written to again. What has failed meanwhile is not sent by itself. */
export const unsuppressAddress = defineContract('delivery.suppression.remove', {
  request: Strict(addressOfBusiness),
  reply: Suppression,
  problems: ['validation_error', 'not_found'],
});

/** Where a page of suppressions ends. */
export const SuppressionPosition = Strict({
  business_id: Uuid,
  channel: MessageChannel,
  address: Type.String(),
});

/** The addresses that are not written to, by business, channel and address, a page at a time. */
export const listSuppressions = defineContract('delivery.suppression.list', {
  request: Strict({
    /** Without it those of every business. */
    business_id: Type.Optional(Uuid),
    /** Only those that come after this one. */
    after: Type.Optional(SuppressionPosition),
  }),
  reply: Strict({
    suppressions: Type.Array(Suppression),
    /** Ask again with `after` to go on; null at the end. */
    next_after: Nullable(SuppressionPosition),
  }),
});

/** What the tables say of the deliveries of some documents of one business, for proving that nothing left twice. */
export const auditDeliveries = defineContract('delivery.document.audit', {
  request: Strict({ business_id: Uuid, document_ids: Type.Array(Uuid, { maxItems: 100 }) }),
  reply: Strict({
    /** One for each id that was asked for, in that order. */
    documents: Type.Array(
      Strict({
        document_id: Uuid,
        /** Whether it was decided what is sent. */
        planned: Type.Boolean(),
        messages: Type.Array(
          Strict({
            ...MessageStanding.properties,
            recipient: Type.String(),
            /** How often a provider took it. */
            accepted: Type.Integer({ minimum: 0 }),
            /** How often nobody knows whether a provider took it. */
            unknown: Type.Integer({ minimum: 0 }),
            /** How often an operator had it sent again; each time allows one more of unknown fate. */
            resends: Type.Integer({ minimum: 0 }),
          }),
        ),
      }),
    ),
  }),
});
