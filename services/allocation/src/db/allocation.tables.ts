import type {
  AllocationAttempt,
  AllocationState,
  Business,
  IssuedDocument,
  RequestKind,
} from '@pinkas/contracts';
import type { DecisionState, DonationMeans, RefusalDecision } from '@pinkas/domain';
import type { Actor, AsGenerated, JobTables, MessagingTables, TraceColumn, Typed } from '@pinkas/service-kit';
import type { ColumnType } from 'kysely';
import type { GeneratedTables } from './generated.tables.js';

/** The facts of which a request to the authority and the published outcome are made. */
export interface AllocationFacts {
  document: IssuedDocument;
  business: Business;
  artifact_sha256: string;
}

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnAllocationTables {
  /**
   * What is requested of the authority for a document: an allocation number, or the report of its donation.
   * - `reason`: Why there is no number, or why the last attempt failed.
   * - `number`: Printed: nine digits.
   * - `request_id`: The X-Request-Id of the request that issued the document.
   * - `first_attempt_at`: When the retry schedule began.
   * - `claimed_until`: While an attempt is in flight; afterwards another worker may claim it.
   * - `settled_at`: When an outcome was published last.
   */
  allocation: {
    kind: RequestKind;
    state: AllocationState;
    facts: ColumnType<AllocationFacts, string, never>;
    /** The trace of the document. */
    trace: TraceColumn;
  };
  /**
   * One attempt to obtain the number of a document.
   * - `n`: 1, 2, … over the life of the document.
   * - `number`: The printed number that was granted.
   * - `reason`: Why there is no number.
   */
  attempt: {
    /** Null: in flight, or its process died. */
    outcome: AllocationAttempt['outcome'];
  };
  /**
   * A decision of an owner about a refused number.
   * - `n`: 1, 2, … of the document.
   * - `next_attempt_at`: Null: it has ended.
   * - `claimed_until`: While an attempt is in flight.
   * - `reason`: Why it is not taken.
   */
  decision: {
    decision: RefusalDecision;
    state: DecisionState;
    /** As in the audit trail. */
    actor: Actor;
    trace: TraceColumn;
  };
  /**
   * One report of a donation: that of one means of payment.
   * - `n`: 1, 2, … within the receipt.
   * - `amount`: ILS, with two decimals.
   * - `number`: The authority's number; null: it is not reported.
   */
  donation_report: {
    means: DonationMeans;
  };
  /**
   * The connection of a business to the tax authority.
   * - `refresh_expires_at`: Null: unknown.
   * - `user_id`: Who issues, to the authority: the person who logged in, by id or by name.
   */
  connection: {
    /** The last warning that was logged. */
    warning: 'expiring' | 'ended' | null;
  };
  /**
   * The authorization URL that an owner was given last.
   * - `return_url`: Where that person completes it.
   * - `used_at`: When a browser came back with the state.
   * - `failure`: Why it led to no connection.
   * - `user_id`: Who logs in.
   */
  connection_request: AsGenerated;
  /**
   * The threshold of allocation numbers that the authority names.
   * - `day`: Of the answer, YYYY-MM-DD in Asia/Jerusalem.
   */
  threshold_answer: {
    /** ILS, with two decimals; null: the authority has not named it on that day. */
    net: ColumnType<string | null, number | null, number>;
  };
}

/** The tables of the allocation service. */
export interface AllocationTables
  extends MessagingTables,
    JobTables,
    Typed<GeneratedTables, OwnAllocationTables> {}

export type AllocationTable = AllocationTables['allocation'];
export type AttemptTable = AllocationTables['attempt'];
export type DecisionTable = AllocationTables['decision'];
export type DonationReportTable = AllocationTables['donation_report'];
export type ConnectionTable = AllocationTables['connection'];
export type ConnectionRequestTable = AllocationTables['connection_request'];
