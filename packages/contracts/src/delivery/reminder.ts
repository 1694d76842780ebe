import Type from 'typebox';
import { defineContract } from '../define.js';
import { Debt } from '../issuing/account.js';
import { Business } from '../schema/business.js';
import { Instant, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { MessageStatus } from '../schema/message.js';

/** The most documents that one reminder is about: the first that are due. */
export const remindedDocumentsMax = 20;

/** Proposes the text of a reminder to a customer, and states when it may be sent. */
export const proposeReminder = defineContract('delivery.reminder.draft', {
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
