import Type, { type Static } from 'typebox';
import { Instant, Nullable, Strict, Uuid } from './fields.js';

/** The channel of a message. */
export const MessageChannel = Type.Enum(['email', 'whatsapp']);
/** The recipient of a message. */
export const MessagePurpose = Type.Enum(['customer', 'accountant']);

/**
 * The state of a message. `waiting`: for the final PDF; `ready`: due at `next_attempt_at`; `sending`: an attempt is in flight,
 * or was when a process died; `sent`, `failed` and `withdrawn` are final, but for a `failed` message that is resent.
 */
export const MessageState = Type.Enum(['waiting', 'ready', 'sending', 'sent', 'failed', 'withdrawn']);

/** One message with its state. */
export const MessageStatus = Strict({
  delivery_id: Uuid,
  channel: MessageChannel,
  purpose: MessagePurpose,
  state: MessageState,
  /**
   * When the next attempt is due; while an attempt is in flight, when its claim expires. Null in a final state, and while the message
   * waits for the PDF.
   */
  next_attempt_at: Nullable(Instant),
  /** The end of the quiet hours that it waits for, or has waited for. */
  not_before: Nullable(Instant),
  /** Until when it waits for the allocation number; null: it does not. */
  held_until: Nullable(Instant),
  /** Whether it brings the number to who got the document without it. */
  follow_up: Type.Boolean(),
  /** Whether it tells who got the document that the report of its donation was cancelled. Absent: it does not. */
  report_cancelled: Type.Optional(Type.Boolean()),
  /** Whether it tells who got the document that no input VAT is deducted by it. Absent: it does not. */
  not_deductible: Type.Optional(Type.Boolean()),
  /** Whether a person asked for it, beside what was planned at issue. */
  requested: Type.Boolean(),
  /** Whether it reminds of open documents, and brings none. Absent: it brings its document. */
  reminder: Type.Optional(Type.Boolean()),
  /** Of a reminder: whether it brings the statement of the account instead. Absent: it does not. */
  statement: Type.Optional(Type.Boolean()),
  /** When it reached its final state. */
  ended_at: Nullable(Instant),
  /** Why it has failed or was withdrawn, or why the last attempt failed. */
  reason: Nullable(Type.String()),
});
export type MessageStatus = Static<typeof MessageStatus>;

type Mark = {
  [Name in keyof MessageStatus]-?: Required<MessageStatus>[Name] extends boolean ? Name : never;
}[keyof MessageStatus];

/** Each mark of a message with the kind that it makes of it; the first that a message has decides. */
const kindOfMark = {
  statement: 'statement',
  reminder: 'reminder',
  report_cancelled: 'report_cancelled',
  not_deductible: 'not_deductible',
  follow_up: 'number',
  requested: 'requested',
} as const satisfies Record<Mark, string>;

/**
 * What a message is. `planned` and `requested` bring the document, at issue and for a person who asked; `number`, `report_cancelled` and
 * `not_deductible` follow one that left, with news; `reminder` and `statement` are none of the messages of the document. Who reads
 * messages decides by a record of all kinds, which does not compile where a kind is missing.
 */
export type MessageKind = 'planned' | (typeof kindOfMark)[Mark];

const marks = Object.keys(kindOfMark) as readonly Mark[];

export function messageKind(message: Pick<MessageStatus, Mark>): MessageKind {
  const mark = marks.find((name) => message[name] === true);
  return mark === undefined ? 'planned' : kindOfMark[mark];
}

/** A message with everything that became of it. */
export const Message = Strict({
  ...MessageStatus.properties,
  recipient: Type.String(),
  /** Whether the address is suppressed now. */
  suppressed: Type.Boolean(),
  created_at: Instant,
  /** In their order. */
  attempts: Type.Array(
    Strict({
      n: Type.Integer({ minimum: 1 }),
      started_at: Instant,
      /** Null while it is in flight. */
      ended_at: Nullable(Instant),
      /** `accepted`, or how it failed; null while it is in flight. */
      outcome: Nullable(Type.String()),
      /** The answer of the provider. */
      response: Nullable(Type.String()),
      /** The number that its PDF shows. */
      allocation_number: Nullable(Type.String()),
    }),
  ),
});
export type Message = Static<typeof Message>;
