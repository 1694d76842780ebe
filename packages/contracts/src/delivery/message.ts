import { documentTypes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract, defineEvent } from '../define.js';
import { DeliveryOutcome } from '../schema/document.js';
import { Instant, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { Message, MessageChannel, MessagePurpose, MessageStatus } from '../schema/message.js';

/** The messages of a document are planned, and not as the response states: what is sent, to whom and when. */
export const deliveryPlanned = defineEvent(
  'delivery.document.planned',
  Strict({ document_id: Uuid, business_id: Uuid, delivery: DeliveryOutcome }),
);

const messageFields = {
  document_id: Uuid,
  business_id: Uuid,
  delivery_id: Uuid,
  channel: Type.Enum(['email', 'whatsapp']),
  purpose: Type.Enum(['customer', 'accountant']),
  /** Whether it brings the allocation number to who got the document without it. */
  follow_up: Type.Boolean(),
};

/** One message was accepted by its provider. */
export const messageSent = defineEvent('delivery.message.sent', Strict(messageFields));
/** One message was rejected for good, or dead-lettered. */
export const messageFailed = defineEvent(
  'delivery.message.failed',
  Strict({ ...messageFields, reason: Type.String() }),
);

/**
 * Makes the failed messages of a document due again, as if there had been no attempt, under the same Message-ID. Every other
 * message stays as it is, and so do one to a suppressed address and a reminder. A failed message of a cancelled document is withdrawn instead.
 */
export const resendDelivery = defineContract('delivery.document.resend', {
  request: Strict({
    document_id: Uuid,
    /** Only a document of this business; absent: of any. */
    business_id: Type.Optional(Uuid),
    person_id: PersonId,
  }),
  reply: Strict({
    /** How many are due again. */
    resent: Type.Integer({ minimum: 0 }),
    /** How many stay as they are, since their address is suppressed. */
    suppressed: Type.Integer({ minimum: 0 }),
    /** All messages of the document with their current state. */
    messages: Type.Array(MessageStatus),
  }),
  errors: ['not_found'],
});

/** All messages of one document of one business, in the order in which they were made; none where none is due. */
export const listMessages = defineContract('delivery.message.list', {
  request: Strict({ business_id: Uuid, document_id: Uuid }),
  reply: Strict({ messages: Type.Array(Message) }),
});

/**
 * Sends a document to an address, for a person who asks for it: a new message to the customer, by the rules of those that were
 * planned at issue. A repeated call with the same `delivery_id` sends nothing twice, and returns the message as it is now.
 */
export const sendMessage = defineContract('delivery.message.send', {
  request: Strict({
    business_id: Uuid,
    document_id: Uuid,
    /** The id of the message, chosen by the caller. */
    delivery_id: Uuid,
    channel: MessageChannel,
    /** A mail address or a phone number as a person writes it. */
    recipient: Type.String({ minLength: 1, maxLength: 254 }),
    person_id: PersonId,
  }),
  reply: MessageStatus,
  /**
   * `not_found`: no plan of the document is recorded. `validation_error` at `/recipient`: it is no address of the channel, or it is
   * suppressed; at `/channel`: there is no account to send by it; at `/delivery_id`: it is the id of another message.
   */
  errors: ['not_found', 'validation_error'],
});

/** One message that was dead-lettered. */
export const FailedMessage = Strict({
  delivery_id: Uuid,
  business_id: Uuid,
  document_id: Uuid,
  document_type: Type.Enum([...documentTypes]),
  document_number: Type.Integer(),
  channel: MessageChannel,
  purpose: MessagePurpose,
  recipient: Type.String(),
  /** The address as its suppression has it; null: it is not suppressed. */
  suppressed_address: Nullable(Type.String()),
  /** The provider's own message where there is one. */
  reason: Type.String(),
  /** How often it was attempted. */
  attempts: Type.Integer({ minimum: 0 }),
  failed_at: Instant,
});
export type FailedMessage = Static<typeof FailedMessage>;

/** The end of a page of failures: at an instant, and among those of one instant at an id. */
export const FailurePosition = Strict({ failed_at: Instant, delivery_id: Uuid });

/** The dead-lettered messages, the latest first, a page at a time. */
export const listDeliveryFailures = defineContract('delivery.failure.list', {
  request: Strict({
    /** Without it those of every business. */
    business_id: Type.Optional(Uuid),
    /** Only those that come after this one. */
    after: Type.Optional(FailurePosition),
  }),
  reply: Strict({
    failures: Type.Array(FailedMessage),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(FailurePosition),
  }),
});

/** The messages and attempts of some documents of one business, for verifying that nothing was sent twice. */
export const auditDeliveries = defineContract('delivery.document.audit', {
  request: Strict({ business_id: Uuid, document_ids: Type.Array(Uuid, { maxItems: 100 }) }),
  reply: Strict({
    /** One for each requested id, in that order. */
    documents: Type.Array(
      Strict({
        document_id: Uuid,
        messages: Type.Array(
          Strict({
            ...MessageStatus.properties,
            recipient: Type.String(),
            /** How often a provider accepted it. */
            accepted: Type.Integer({ minimum: 0 }),
            /** How many attempts have an unknown outcome. */
            unknown: Type.Integer({ minimum: 0 }),
            /** How many attempts without an allocation number were accepted or have an unknown outcome. */
            without_number: Type.Integer({ minimum: 0 }),
            /** How often an operator resent it; each time allows one more attempt of unknown outcome. */
            resends: Type.Integer({ minimum: 0 }),
          }),
        ),
      }),
    ),
  }),
});

/** The most documents whose failed messages are listed together. */
export const undeliveredMax = 1_000;

/** The documents of which every message to the customer has failed, the latest failure first. */
export const listUndelivered = defineContract('delivery.document.list_undelivered', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({ document_ids: Type.Array(Uuid, { maxItems: undeliveredMax }) }),
});

/** The states of the customer's copies of some documents of one business. */
export const listDeliveryStates = defineContract('delivery.document.list_states', {
  request: Strict({ business_id: Uuid, document_ids: Type.Array(Uuid, { maxItems: 100 }) }),
  reply: Strict({
    /** Only documents with a message to the customer. */
    documents: Type.Array(
      Strict({
        document_id: Uuid,
        /** `sent`: one was accepted; `pending`: one may be yet; `failed`: all have failed or were withdrawn. */
        state: Type.Enum(['sent', 'pending', 'failed', 'withdrawn']),
      }),
    ),
  }),
});
