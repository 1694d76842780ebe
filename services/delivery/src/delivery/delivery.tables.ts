import type { DeliveryOutcome, DocumentType } from '@pinkas/contracts';
import type { MessagingTables } from '@pinkas/service-kit';
import type { ColumnType, Generated } from 'kysely';

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
  /** The end of the quiet hours that it was planned in. */
  not_before: Date | null;
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
}

/** The tables of the delivery service. */
export interface DeliveryTables extends MessagingTables {
  plan: PlanTable;
  rendered: RenderedTable;
  cancelled: CancelledTable;
  delivery: DeliveryTable;
}
