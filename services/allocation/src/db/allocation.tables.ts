import type {
  AllocationAttempt,
  AllocationState,
  Business,
  IssuedDocument,
  RequestKind,
} from '@pinkas/contracts';
import type { DecisionState, DonationMeans, RefusalDecision } from '@pinkas/domain';
import type { Actor, MessagingTables, TraceColumn } from '@pinkas/service-kit';
import type { ColumnType, Generated } from 'kysely';

/** What a request to the authority and the published outcome are made of. */
export interface AllocationFacts {
  document: IssuedDocument;
  business: Business;
  artifact_sha256: string;
}

/** What is requested of the authority for a document: an allocation number, or the report of its donation. */
export interface AllocationTable {
  business_id: string;
  document_id: string;
  kind: RequestKind;
  state: AllocationState;
  /** Why there is no number, or why the last attempt failed. */
  reason: string | null;
  /** Printed: nine digits. */
  number: string | null;
  confirmation_number: string | null;
  facts: ColumnType<AllocationFacts, string, never>;
  answer: string | null;
  /** The X-Request-Id of the request that issued the document. */
  request_id: string | null;
  /** The trace of the document. */
  trace: TraceColumn;
  attempts: Generated<number>;
  /** How many of them were made before the retry schedule restarted. */
  earlier_attempts: Generated<number>;
  /** When the retry schedule began. */
  first_attempt_at: Date | null;
  next_attempt_at: Date | null;
  /** While an attempt is in flight; afterwards another worker may claim it. */
  claimed_until: Date | null;
  decided_at: Date;
  /** When an outcome was published last. */
  settled_at: Date | null;
  /** An earlier attempt may have been granted unnoticed. */
  outcome_unknown: Generated<boolean>;
  /** The last attempt found no usable connection. */
  awaiting_connection: Generated<boolean>;
  dead_lettered_at: Date | null;
  /** The last refusal; it stays when a number comes later. */
  refused_at: Date | null;
  refusal_codes: string[] | null;
  refusal_message: string | null;
  refusal_answer: string | null;
  /** Since when the reports of the donation are to be cancelled; null: they are not. */
  cancel_requested_at: Date | null;
  cancel_reason: string | null;
  /** The body as it was sent; a repetition sends the same bytes. */
  request: string | null;
  /** The operator has to correct how the application is known to the authority. */
  awaiting_operator: Generated<boolean>;
  /** No attempt can ever bring a number. */
  is_final: Generated<boolean>;
  /** When a person typed the number in, and who, as in the audit trail; null: no one has. */
  entered_at: Date | null;
  entered_by: string | null;
}

/** A decision of an owner about a refused number. */
export interface DecisionTable {
  business_id: string;
  document_id: string;
  /** 1, 2, … of the document. */
  n: number;
  decision: RefusalDecision;
  state: DecisionState;
  decided_at: Date;
  /** As in the audit trail. */
  actor: Actor;
  request_id: string | null;
  trace: TraceColumn;
  attempts: Generated<number>;
  /** Null: it has ended. */
  next_attempt_at: Date | null;
  /** While an attempt is in flight. */
  claimed_until: Date | null;
  ended_at: Date | null;
  /** Why it is not taken. */
  reason: string | null;
  answer: string | null;
}

/** One report of a donation: that of one means of payment. */
export interface DonationReportTable {
  business_id: string;
  document_id: string;
  /** 1, 2, … within the receipt. */
  n: number;
  means: DonationMeans;
  tax_year: number;
  /** ILS, with two decimals. */
  amount: string;
  /** The authority's number; null: it is not reported. */
  number: string | null;
  answer: string | null;
  cancellation_number: string | null;
  cancellation_answer: string | null;
  /** The body as it was sent; null: it has not arrived. */
  request: string | null;
}

/** One attempt to obtain the number of a document. */
export interface AttemptTable {
  business_id: string;
  document_id: string;
  /** 1, 2, … over the life of the document. */
  n: number;
  started_at: Date;
  ended_at: Date | null;
  /** Null: in flight, or its process died. */
  outcome: AllocationAttempt['outcome'];
  /** The printed number that was granted. */
  number: string | null;
  /** Why there is no number. */
  reason: string | null;
  refusal_codes: string[] | null;
}

export interface ConnectionTable {
  business_id: string;
  access_token: Buffer;
  access_expires_at: Date;
  refresh_token: Buffer;
  /** Null: unknown. */
  refresh_expires_at: Date | null;
  connected_at: Date;
  refreshed_at: Date;
  broken_at: Date | null;
  /** The last warning that was logged. */
  warning: 'expiring' | 'ended' | null;
  /** Who issues, to the authority: the person who logged in, by id or by name. */
  user_id: string | null;
  user_name: string | null;
}

/** The authorization URL that an owner was given last. */
export interface ConnectionRequestTable {
  business_id: string;
  /** SHA-256 of the state in the URL. */
  state_hash: Buffer;
  /** Who requested it, and alone may complete it; null: the operator. */
  person_id: string | null;
  /** Where that person completes it. */
  return_url: string | null;
  requested_at: Date;
  expires_at: Date;
  /** When somebody came back with the state. */
  used_at: Date | null;
  /** Why it led to no connection. */
  failure: string | null;
  /** Who logs in. */
  user_id: string | null;
  user_name: string | null;
}

/** The threshold of allocation numbers that the authority names. */
export interface ThresholdAnswerTable {
  /** Of the answer, YYYY-MM-DD in Asia/Jerusalem. */
  day: string;
  /** The last attempt of the day. */
  asked_at: Date;
  /** ILS, with two decimals; null: the authority has not named it on that day. */
  net: ColumnType<string | null, number | null, number>;
}

/** The tables of the allocation service. */
export interface AllocationTables extends MessagingTables {
  allocation: AllocationTable;
  attempt: AttemptTable;
  decision: DecisionTable;
  donation_report: DonationReportTable;
  connection: ConnectionTable;
  connection_request: ConnectionRequestTable;
  threshold_answer: ThresholdAnswerTable;
}
