import Type from 'typebox';
import { defineContract } from '../define.js';
import { Business } from '../schema/business.js';
import { CalendarDate, Money, PersonId, Strict, Uuid } from '../schema/fields.js';
import { MessageStatus } from '../schema/message.js';

/** The most bytes of a statement of an account as PDF. */
export const statementBytesMax = 5_000_000;

/**
 * Sends the statement of the account of a customer as a PDF that an email carries, with the text of a person and the balance below it. It
 * never leaves in quiet hours. It is a message of the latest document of the account. A repeated call with the same `statement_id` sends
 * nothing twice, and returns the message as it is now.
 */
export const sendStatement = defineContract('delivery.statement.send', {
  request: Strict({
    /** With its settings of now. */
    business: Business,
    customer_id: Uuid,
    /** The latest document of the account. */
    document_id: Uuid,
    /** The id of the message, chosen by the caller. */
    statement_id: Uuid,
    recipient: Type.String({ minLength: 1, maxLength: 254 }),
    subject: Type.String({ minLength: 1, maxLength: 200 }),
    /** Paragraphs. */
    text: Type.String({ minLength: 1, maxLength: 5_000 }),
    /** The last day of the statement, and what the customer has left to pay then, ILS; negative: what is in credit. */
    as_of: CalendarDate,
    closing: Money,
    /** Base64. */
    pdf: Type.String({ minLength: 1, maxLength: Math.ceil(statementBytesMax / 3) * 4 }),
    person_id: PersonId,
  }),
  reply: MessageStatus,
  /**
   * `validation_error` at `/recipient`: it is no email address, it is suppressed, or the business has sent its most of a day; at `/statement_id`: it is the id of another
   * message.
   */
  errors: ['not_found', 'validation_error'],
});
