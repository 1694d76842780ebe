import type { LogoRef } from '@pinkas/contracts';
import type { DocumentType, TotalRowKind } from '@pinkas/domain';
import type { MessagingTables, TraceColumn } from '@pinkas/service-kit';
import type { ColumnType, Generated, Selectable } from 'kysely';
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
}

/** When a customer, or a document, was last reminded of. */
export interface ReminderLimitTable {
  business_id: string;
  /** A customer or a document. */
  subject_id: string;
  /** When the last reminder left, or may have left; null: none has. */
  reminded_at: Date | null;
  /** The reminder that has not ended yet; null: there is none. */
  delivery_id: string | null;
}

export type DeliveryPurpose = 'customer' | 'accountant';
export type DeliveryChannel = 'email' | 'whatsapp';
export type DeliveryState = 'waiting' | 'ready' | 'sending' | 'sent' | 'failed' | 'withdrawn';

/** What is known of a document that has messages, or may get some. */
export interface DocumentTable {
  business_id: string;
  document_id: string;
  /** Until when messages wait for an allocation number that is being obtained; null: none is planned. */
  hold_until: Date | null;
  /** The latest PDF that is final; null: none is. */
  revision: number | null;
  allocation_number: string | null;
  /** Whether the number is still being obtained; never true again after it was false. */
  allocation_pending: Generated<boolean>;
  /** Whether the report of its donation was cancelled; never false again after it was true. */
  report_cancelled: Generated<boolean>;
  /** Whether a final PDF states that no input VAT is deducted by it. */
  not_deductible: Generated<boolean>;
  cancelled_at: Date | null;
}

export interface DeliveryTable {
  business_id: string;
  id: string;
  document_id: string;
  channel: DeliveryChannel;
  purpose: DeliveryPurpose;
  recipient: string;
  /** The message that this one follows, with the number that it was sent without or with news; null: it follows none. */
  follows: string | null;
  /** Whether a person asked for it, beside what was planned at issue. */
  requested: Generated<boolean>;
  /** Null: it brings its document. */
  reminder: ColumnType<Reminder | null, string | null | undefined, never>;
  /** Whether it follows with news, and not with a number: that the report of its donation was cancelled, or that no input VAT is deducted. */
  report_cancelled: Generated<boolean>;
  state: DeliveryState;
  facts: ColumnType<DeliveryFacts, string, never>;
  /** The Message-ID header, the same on every attempt. */
  message_id: string;
  /** The X-Request-Id of the request that issued the document. */
  request_id: string | null;
  /** The trace of the document. */
  trace: TraceColumn;
  /** The end of the quiet hours that it waits or waited for. */
  not_before: Date | null;
  /** Until when it waits, or has waited, for the allocation number; null: it does not wait, or the wait has ended early. */
  held_until: Date | null;
  /** Attempts since an operator last made it due, including those that never reached a provider. */
  attempts: Generated<number>;
  unknown_outcomes: Generated<number>;
  first_attempt_at: Date | null;
  next_attempt_at: Date;
  /** While a worker has it; afterwards another may claim it. */
  claimed_until: Date | null;
  last_error: string | null;
  created_at: Date;
  sent_at: Date | null;
  failed_at: Date | null;
  withdrawn_at: Date | null;
  /** Why it is never sent, in English; null unless it was withdrawn. */
  withdrawn_reason: string | null;
  /** How often an operator made it due again after it had failed. */
  resends: Generated<number>;
}

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

/** One send attempt: inserted before it, completed after it. */
export interface AttemptTable {
  business_id: string;
  delivery_id: string;
  /** 1, 2, … over the whole life of the message. */
  n: number;
  /** The allocation number that its PDF shows; null: it shows none. */
  allocation_number: string | null;
  /** Whether its PDF states that the report of its donation was cancelled. */
  report_cancelled: Generated<boolean>;
  /** Whether its PDF states that no input VAT is deducted by it. */
  not_deductible: Generated<boolean>;
  started_at: Date;
  ended_at: Date | null;
  /** Null while it is in flight. */
  outcome: 'accepted' | 'temporary' | 'permanent' | 'unknown' | null;
  /** Whether the outcome was ever unknown. */
  was_unknown: Generated<boolean>;
  /** What the provider answered, or why it did not. */
  provider_response: string | null;
  /** The provider's id of the message. */
  provider_id: string | null;
}

/** How many messages of a business were first attempted on a day in Israel. */
export interface DailyCountTable {
  business_id: string;
  /** YYYY-MM-DD */
  counted_on: string;
  messages: number;
}

/** An address that a business sends nothing to any more. */
export interface SuppressionTable {
  business_id: string;
  channel: DeliveryChannel;
  /** As `normaliseAddress` writes it. */
  address: string;
  reason: 'bounced' | 'blocked';
  /** The provider's response, or the operator's reason. */
  detail: string | null;
  since: Date;
}

/** A message of a test book: what would have been given to a provider. */
export interface TestMessageTable {
  business_id: string;
  delivery_id: string;
  document_id: string;
  channel: DeliveryChannel;
  purpose: DeliveryPurpose;
  recipient: string;
  /** Empty for WhatsApp. */
  subject: string;
  /** The text of an email, or the JSON of a WhatsApp message. */
  body: string;
  pdf_sha256: Buffer;
  sent_at: Date;
}

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

/** The tables of the delivery service. */
export interface DeliveryTables extends MessagingTables, WebhookTables {
  document: DocumentTable;
  delivery: DeliveryTable;
  attempt: AttemptTable;
  reminder_limit: ReminderLimitTable;
  daily_count: DailyCountTable;
  suppression: SuppressionTable;
  test_message: TestMessageTable;
}
