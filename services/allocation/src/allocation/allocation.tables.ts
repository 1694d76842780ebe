import type { AllocationOutcome, Business, IssuedDocument } from '@pinkas/contracts';
import type { MessagingTables } from '@pinkas/service-kit';
import type { ColumnType, Generated } from 'kysely';

/** What is needed to ask the authority, and to announce its answer. */
export interface AllocationFacts {
  document: IssuedDocument;
  business: Business;
}

/**
 * `asking`: a try is due. `issued` and `refused` are the authority's words. `given_up`: it did not answer for a whole day.
 */
export type AllocationState =
  | Exclude<AllocationOutcome['status'], 'failed'>
  | 'asking'
  | 'refused'
  | 'given_up';

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
  attempts: Generated<number>;
  /** When the first try began. */
  asked_since: Date | null;
  next_attempt_at: Date | null;
  /** Until when a worker may be asking; afterwards another may. */
  claimed_until: Date | null;
  decided_at: Date;
  /** When an outcome was announced first. */
  settled_at: Date | null;
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
}

/** The tables of the allocation service. */
export interface AllocationTables extends MessagingTables {
  allocation: AllocationTable;
  connection: ConnectionTable;
}
