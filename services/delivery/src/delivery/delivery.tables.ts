import type { DeliveryOutcome, DocumentType } from '@pinkas/contracts';
import type { MessagingTables, TraceColumn } from '@pinkas/service-kit';
import type { ColumnType, Generated } from 'kysely';
import type { SendOutcome } from './after-send.js';

/** What a message says of its document and its business. */
export interface DeliveryFacts {
  document: {
    type: DocumentType;
    number: number;
    /** YYYY-MM-DD */
    date: string;
    /** ILS */
    total: number;
    public_id: string;
    customer_name: string;
  };
  business: {
    name: string;
    email: string | null;
    language: 'he' | 'en';
    /** HH:MM-HH:MM */
    quiet_hours: string | null;
  };
}

export type DeliveryPurpose = 'customer' | 'accountant';
export type DeliveryChannel = 'email' | 'whatsapp';
export type DeliveryState = 'waiting' | 'ready' | 'sending' | 'sent' | 'failed' | 'withdrawn';

export interface PlanTable {
  business_id: string;
  document_id: string;
  status: DeliveryOutcome['status'];
  channel: DeliveryOutcome['channel'];
  scheduled_for: Date | null;
  planned_at: Date;
}

export interface RenderedTable {
  business_id: string;
  document_id: string;
  revision: number;
  rendered_at: Date;
}

/** A document that was cancelled. */
export interface CancelledTable {
  business_id: string;
  document_id: string;
  /** When it was heard of first. */
  noted_at: Date;
}

export interface DeliveryTable {
  business_id: string;
  id: string;
  document_id: string;
  channel: DeliveryChannel;
  purpose: DeliveryPurpose;
  recipient: string;
  state: DeliveryState;
  facts: ColumnType<DeliveryFacts, string, never>;
  /** The Message-ID header, the same on every try. */
  message_id: string;
  /** The X-Request-Id of the request that issued the document. */
  request_id: string | null;
  /** The trace of the document. */
  trace: TraceColumn;
  /** The end of the quiet hours that it was planned in. */
  not_before: Date | null;
  /** The tries since it was last made due by an operator, also those that never came to a provider. */
  attempts: Generated<number>;
  unknown_outcomes: Generated<number>;
  first_attempt_at: Date | null;
  next_attempt_at: Date;
  /** Until when a worker may be at work on it; afterwards another may. */
  claimed_until: Date | null;
  last_error: string | null;
  created_at: Date;
  sent_at: Date | null;
  failed_at: Date | null;
  withdrawn_at: Date | null;
  /** Why it is never to be sent, in English; null unless it was withdrawn. */
  withdrawn_reason: string | null;
  /** How often an operator made it due again after it had failed. */
  resends: Generated<number>;
}

/** One handing over of a message to its provider: written before, completed after. */
export interface AttemptTable {
  business_id: string;
  delivery_id: string;
  /** 1, 2, … over the whole life of the message. */
  n: number;
  started_at: Date;
  ended_at: Date | null;
  /** Null while it is being handed over. */
  outcome: SendOutcome['kind'] | null;
  /** Whether it was ever unknown if the provider took it. */
  was_unknown: Generated<boolean>;
  /** The provider's own. */
  words: string | null;
  /** What the provider calls the message. */
  provider_id: string | null;
}

/** An address that a business does not write to any more. */
export interface SuppressionTable {
  business_id: string;
  channel: DeliveryChannel;
  /** As `normalAddress` writes it. */
  address: string;
  reason: 'bounced' | 'blocked';
  words: string | null;
  since: Date;
}

/** The tables of the delivery service. */
export interface DeliveryTables extends MessagingTables {
  plan: PlanTable;
  rendered: RenderedTable;
  cancelled: CancelledTable;
  delivery: DeliveryTable;
  attempt: AttemptTable;
  suppression: SuppressionTable;
}
