import type { AllocationState, Business, IssuedDocument } from '@pinkas/contracts';
import type { MessagingTables, TraceColumn } from '@pinkas/service-kit';
import type { ColumnType, Generated } from 'kysely';

/** What is needed to ask the authority, and to announce its answer. */
export interface AllocationFacts {
  document: IssuedDocument;
  business: Business;
}

export interface AllocationTable {
  business_id: string;
  document_id: string;
  state: AllocationState;
  /** Why there is no number, or why the last try failed. */
  reason: string | null;
  /** Printed: nine digits. */
  number: string | null;
  confirmation_number: string | null;
  facts: ColumnType<AllocationFacts, string, never> | null;
  answer: string | null;
  /** The X-Request-Id of the request that issued the document. */
  request_id: string | null;
  /** The trace of the document. */
  trace: TraceColumn;
  attempts: Generated<number>;
  /** How many of them were made before its day of tries began anew. */
  earlier_attempts: Generated<number>;
  /** When the first try began. */
  asked_since: Date | null;
  next_attempt_at: Date | null;
  /** Until when somebody may be asking; afterwards another may. */
  claimed_until: Date | null;
  decided_at: Date;
  /** When an outcome was announced first. */
  settled_at: Date | null;
  /** An earlier try may have been granted without our knowing. */
  unclear: Generated<boolean>;
  /** The last try found no usable connection. */
  waits_for_connection: Generated<boolean>;
  /** Null also where an older version gave it up. */
  given_up_at: Date | null;
  /** The last refusal; it stays when a number comes later. */
  refused_at: Date | null;
  refusal_codes: string[] | null;
  refusal_words: string | null;
  refusal_answer: string | null;
}

export interface ConnectionTable {
  business_id: string;
  access_token: Buffer;
  access_expires_at: Date;
  refresh_token: Buffer;
  /** Null: the authority did not say. */
  refresh_expires_at: Date | null;
  connected_at: Date;
  refreshed_at: Date;
  broken_at: Date | null;
  /** What the log has been told of its state. */
  warned: 'expiring' | 'ended' | null;
}

/** The address at the authority that an owner was given last. */
export interface ConnectionRequestTable {
  business_id: string;
  /** SHA-256 of the state in the address. */
  state_hash: Buffer;
  requested_at: Date;
  expires_at: Date;
  /** When somebody came back with the state. */
  used_at: Date | null;
  /** Why it led to no connection. */
  failure: string | null;
}

/** The tables of the allocation service. */
export interface AllocationTables extends MessagingTables {
  allocation: AllocationTable;
  connection: ConnectionTable;
  connection_request: ConnectionRequestTable;
}
