import { documentTypes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract, defineEvent } from './define.js';
import { Debt } from './issuing-accounts.js';
import { Business } from './schema/business.js';
import { DeliveryOutcome } from './schema/document.js';
import { EmailAddress, Instant, Nullable, PersonId, Strict, TestBookId, Uuid } from './schema/fields.js';
import { Message, MessageChannel, MessagePurpose, MessageStatus } from './schema/message.js';
import { timeLimitsMs } from './time-limits.js';

export * from './delivery-statement.js';
export * from './schema/message.js';

/** The messages of a document are planned, and not as the response says: what is sent, to whom and when. */
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

/** The most documents that one reminder is about: the first that are due. */
export const remindedDocumentsMax = 20;

/** What a reminder to a customer would say, and when it may be sent. */
export const draftReminder = defineContract('delivery.reminder.draft', {
  request: Strict({
    /** With its settings of now. */
    business: Business,
    customer_id: Uuid,
  }),
  reply: Strict({
    /** Open documents on the account of the customer, the first due first. */
    debts: Type.Array(
      Strict({
        ...Debt.properties,
        /** When it may be reminded of again; null: now. */
        allowed_at: Nullable(Instant),
      }),
    ),
    /** The email address of the customer; null: none is known. */
    recipient: Nullable(Type.String()),
    subject: Type.String(),
    text: Type.String(),
    /** When the customer may be reminded again; null: now. */
    allowed_at: Nullable(Instant),
    /** The end of the quiet hours, where a reminder would wait for it. */
    quiet_until: Nullable(Instant),
  }),
  /** `not_found`: nothing is left to pay. */
  errors: ['not_found'],
});

/**
 * Sends an email that reminds a customer of open documents: the text of a person, and below it what is left to pay when it is sent. It
 * never leaves in quiet hours, and is withdrawn where everything is paid by then. A customer, and a document, is reminded of at most
 * once in three days. A repeated call with the same `reminder_id` sends nothing twice, and returns the message as it is now.
 */
export const sendReminder = defineContract('delivery.reminder.send', {
  request: Strict({
    /** With its settings of now. */
    business: Business,
    customer_id: Uuid,
    document_ids: Type.Array(Uuid, { minItems: 1, maxItems: remindedDocumentsMax }),
    /** The id of the message, chosen by the caller. */
    reminder_id: Uuid,
    recipient: Type.String({ minLength: 1, maxLength: 254 }),
    subject: Type.String({ minLength: 1, maxLength: 200 }),
    /** Paragraphs. */
    text: Type.String({ minLength: 1, maxLength: 5_000 }),
    person_id: PersonId,
  }),
  reply: MessageStatus,
  /**
   * `validation_error` at `/recipient`: it is no email address, or it is suppressed; at `/document_ids`: nothing is left to pay of one;
   * at `/customer_id`: the last reminder is less than three days ago; at `/reminder_id`: it is the id of another message.
   */
  errors: ['not_found', 'validation_error'],
});

/** Sends a message of the platform to a person: a link to sign in, an invitation. It is stored nowhere. */
export const sendNotice = defineContract('delivery.notice.send', {
  request: Strict({
    /** Becomes the Message-ID: a repeated call is the same message. */
    notice_id: Uuid,
    recipient: EmailAddress,
    subject: Type.String({ minLength: 1, maxLength: 200 }),
    text: Type.String({ minLength: 1, maxLength: 10_000 }),
    html: Type.String({ minLength: 1, maxLength: 40_000 }),
  }),
  reply: Strict({
    /** `rejected`: no attempt will succeed; `failed`: another may. */
    outcome: Type.Enum(['accepted', 'rejected', 'failed']),
    /** What the mail server answered; null where it accepted. */
    reason: Nullable(Type.String()),
  }),
  timeoutMs: timeLimitsMs.sendNotice,
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

/** Where a page of failures ends: at an instant, and among those of one instant at an id. */
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

/** Where a page of suppressions ends. */
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

/** What has become of the customer's copies of some documents of one business. */
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

/** Deletes everything of a test book, or some of a large one; a live book is refused. */
export const clearTestDeliveries = defineContract('delivery.test_book.clear', {
  request: Strict({ business_id: TestBookId }),
  reply: Strict({
    /** How many rows were deleted. */
    deleted: Type.Integer({ minimum: 0 }),
    /** Whether there may be more, for another call. */
    more: Type.Boolean(),
  }),
  errors: ['validation_error'],
  timeoutMs: timeLimitsMs.operatorCall,
});

/** Where a page of test messages ends. */
const TestMessagePosition = Strict({ sent_at: Instant, delivery_id: Uuid });

/** A message of a test book: what would have been given to a provider. */
export const TestMessage = Strict({
  delivery_id: Uuid,
  document_id: Uuid,
  document_type: Type.Enum([...documentTypes]),
  document_number: Type.Integer(),
  channel: MessageChannel,
  purpose: MessagePurpose,
  recipient: Type.String(),
  /** Empty for WhatsApp. */
  subject: Type.String(),
  /** The text of an email, or the JSON of a WhatsApp message. */
  body: Type.String(),
  /** Hex: of the PDF that an email attaches and a WhatsApp message leads to. */
  pdf_sha256: Type.String(),
  sent_at: Instant,
});
export type TestMessage = Static<typeof TestMessage>;

/** The messages of a test book, the latest first, a page at a time. */
export const listTestMessages = defineContract('delivery.test_message.list', {
  request: Strict({ business_id: TestBookId, after: Type.Optional(TestMessagePosition) }),
  reply: Strict({
    messages: Type.Array(TestMessage),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(TestMessagePosition),
  }),
});
