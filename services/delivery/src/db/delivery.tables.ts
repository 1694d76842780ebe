import type { LogoRef, PaymentInstructions } from '@pinkas/contracts';
import type { DocumentType, TotalRowKind } from '@pinkas/domain';
import type { AsGenerated, MessagingTables, TraceColumn, Typed } from '@pinkas/service-kit';
import type { ColumnType, Selectable } from 'kysely';
import type { GeneratedTables } from './generated.tables.js';
import type { WebhookTables } from './webhook.tables.js';

/** The facts of its document and its business that a message is composed of. */
export interface DeliveryFacts {
  document: {
    type: DocumentType;
    number: number;
    /** YYYY-MM-DD */
    date: string;
    /** ILS */
    total: number;
    /** ILS, of a receipt: what its customer has withheld in addition to the total. */
    withheld?: number;
    public_id: string;
    /** Of the PDF that was made when the document was issued, hex: where another is stored, nothing is sent. */
    artifact_sha256: string;
    customer_name: string;
    /** YYYY-MM-DD; null where its type has none. */
    due_date: string | null;
    /** The figures before the total, ILS; null where the document shows no prices. */
    figures: readonly { kind: TotalRowKind; amount: number }[] | null;
    /** Percent. */
    vat_rate: number;
    /** Percent; null where there is no discount, or one of an amount. */
    discount_percent: number | null;
  };
  business: {
    name: string;
    email: string | null;
    language: 'he' | 'en';
    /** HH:MM-HH:MM */
    quiet_hours: string | null;
    /** `#rrggbb` */
    accent_color?: string;
    logo?: LogoRef;
    mail_from?: string;
    /** How customers pay. */
    payment_instructions?: PaymentInstructions;
  };
  /** Whether callers want the events of the business. */
  events?: boolean;
  /** Whether an item of its test document provokes that it fails. */
  fails?: boolean;
}

/** What an email that reminds a customer of open documents states, and of which. */
export interface Reminder {
  customer_id: string;
  subject: string;
  /** Paragraphs, with an empty line between two. */
  text: string;
  document_ids: readonly string[];
  /** Of a message that brings the statement of the account, whose file is in `statement_file`; absent: it reminds. */
  statement?: {
    /** YYYY-MM-DD */
    as_of: string;
    /** ILS */
    closing: number;
  };
}

/**
 * `unknown_address`: the provider knows no such recipient; `access_denied`: it rejects our account; `relay_denied`: it refuses the
 * recipient with words about the sender, the relay or access.
 */
export type SendFailure = 'unknown_address' | 'access_denied' | 'relay_denied';

export type DeliveryPurpose = 'customer' | 'accountant';
export type DeliveryChannel = 'email' | 'whatsapp';
export type DeliveryState = 'waiting' | 'ready' | 'sending' | 'sent' | 'failed' | 'withdrawn';

/** All columns of `delivery`, by name, so that the statements are prepared. */
export const deliveryColumns = [
  'business_id',
  'id',
  'document_id',
  'channel',
  'purpose',
  'recipient',
  'follows',
  'requested',
  'reminder',
  'report_cancelled',
  'state',
  'facts',
  'message_id',
  'request_id',
  'trace',
  'not_before',
  'held_until',
  'attempts',
  'unknown_outcomes',
  'first_attempt_at',
  'next_attempt_at',
  'claimed_until',
  'last_error',
  'created_at',
  'sent_at',
  'failed_at',
  'withdrawn_at',
  'withdrawn_reason',
  'resends',
] as const satisfies readonly (keyof DeliveryTable)[];

export type DeliveryRow = Selectable<DeliveryTable>;

/** A document by its key. */
export interface DocumentKey {
  business_id: string;
  document_id: string;
}

/** A message by its key. */
export interface MessageKey {
  business_id: string;
  id: string;
}

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnDeliveryTables {
  /** What is known of a document that has messages, or may get some. */
  document: AsGenerated;
  /**
   * A message about a document.
   * - `message_id`: The Message-ID header, the same on every attempt.
   * - `request_id`: The X-Request-Id of the request that issued the document.
   * - `not_before`: The end of the quiet hours that it waits or waited for.
   * - `claimed_until`: While a worker has it; afterwards another may claim it.
   * - `withdrawn_reason`: Why it is never sent, in English; null unless it was withdrawn.
   */
  delivery: {
    channel: DeliveryChannel;
    purpose: DeliveryPurpose;
    /** Null: it brings its document. */
    reminder: ColumnType<Reminder | null, string | null | undefined, never>;
    state: DeliveryState;
    facts: ColumnType<DeliveryFacts, string, never>;
    /** The trace of the document. */
    trace: TraceColumn;
  };
  /**
   * One send attempt: inserted before it, completed after it.
   * - `n`: 1, 2, … over the life of the message.
   * - `provider_response`: What the provider answered, or why it did not.
   * - `provider_id`: The provider's id of the message.
   */
  attempt: {
    /** Null while it is in flight. */
    outcome: 'accepted' | 'temporary' | 'permanent' | 'unknown' | null;
    failure: SendFailure | null;
  };
  /**
   * When a customer, or a document, was last reminded of.
   * - `subject_id`: A customer or a document.
   */
  reminder_limit: AsGenerated;
  /** The PDF of a statement. */
  statement_file: AsGenerated;
  /**
   * How many messages of a business were first attempted on a day in Israel.
   * - `counted_on`: YYYY-MM-DD
   */
  daily_count: AsGenerated;
  /**
   * An address that a business sends nothing to any more.
   * - `detail`: The provider's response, or the operator's reason.
   */
  suppression: {
    channel: DeliveryChannel;
    reason: 'bounced' | 'blocked';
  };
  /**
   * A message of a test book: what would have been given to a provider.
   * - `subject`: Empty for WhatsApp.
   */
  test_message: {
    channel: DeliveryChannel;
    purpose: DeliveryPurpose;
  };
}

/** The tables of the delivery service. */
export interface DeliveryTables
  extends MessagingTables,
    WebhookTables,
    Typed<GeneratedTables, OwnDeliveryTables> {}

export type DocumentTable = DeliveryTables['document'];
export type DeliveryTable = DeliveryTables['delivery'];
export type AttemptTable = DeliveryTables['attempt'];
export type ReminderLimitTable = DeliveryTables['reminder_limit'];
export type SuppressionTable = DeliveryTables['suppression'];
export type TestMessageTable = DeliveryTables['test_message'];
