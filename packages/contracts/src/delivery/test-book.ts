import { documentTypes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { Instant, Nullable, Strict, TestBookId, Uuid } from '../schema/fields.js';
import { MessageChannel, MessagePurpose } from '../schema/message.js';
import { defineTestBookClear } from '../test-book.js';

export const clearTestDeliveries = defineTestBookClear('delivery');

/** The end of a page of test messages. */
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
