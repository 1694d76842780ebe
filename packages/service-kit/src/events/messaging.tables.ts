import type { TraceHeaders } from '@pinkas/contracts';
import type { ColumnType, Generated } from 'kysely';
import type { AuditTables } from '../audit/audit.tables.js';

/** The trace that a row belongs to; written as JSON, null where there is none. */
export type TraceColumn = ColumnType<TraceHeaders | null, string | null | undefined, string | null>;

/** Events that a transaction of this service has published. */
export interface OutboxTable {
  /** Increasing; assigned before the commit. */
  position: Generated<number>;
  id: string;
  subject: string;
  body: string;
  request_id: string | null;
  trace: TraceColumn;
  /** When the row was written: after its position was assigned, and before its transaction committed. */
  created_at: Generated<Date>;
  /** When JetStream acknowledged it; null: still to be sent. */
  sent_at: Date | null;
}

/** How far the consumers of this service's events, in whatever service, have read its outbox. */
export interface OutboxReaderTable {
  consumer: string;
  /** Every event up to here, inclusive, is handled or dead-lettered. */
  position: number;
}

/** Events that a consumer of this service has handled; each row is written in the transaction of the effect. */
export interface InboxTable {
  consumer: string;
  message_id: string;
  handled_at: Generated<Date>;
}

/** Events whose handling failed for good, with what a redrive needs. */
export interface DeadLetterTable {
  id: Generated<string>;
  consumer: string;
  message_id: string;
  subject: string;
  body: string;
  /** The HTTP request that led to the event, where there was one. */
  request_id: string | null;
  trace: TraceColumn;
  reason: string;
  attempts: number;
  dead_lettered_at: Generated<Date>;
}

/** How far a consumer's inbox was compared with the outbox of its event's owner. */
export interface ReconcileCheckpointTable {
  consumer: string;
  /** Every event up to here, inclusive, is handled or dead-lettered. */
  position: number;
  /** Until when no replica but the one that claimed it compares the consumer. */
  claimed_until: Date;
}

/** Events whose first attempt failed, or that a reconciler found missing, until they are handled or dead-lettered. */
export interface DueEventTable {
  consumer: string;
  message_id: string;
  subject: string;
  body: string;
  /** The HTTP request that led to the event, where there was one. */
  request_id: string | null;
  trace: TraceColumn;
  /** Why the last attempt failed; null: none was made. */
  reason: string | null;
  /** Begun attempts, the first included. */
  attempts: number;
  first_due_at: Generated<Date>;
  next_attempt_at: Date;
  /** While a worker has it; afterwards another may claim it. */
  claimed_until: Date | null;
}

/** The tables of the kit in a service that publishes or handles events. */
export interface MessagingTables extends AuditTables {
  outbox: OutboxTable;
  outbox_reader: OutboxReaderTable;
  inbox: InboxTable;
  dead_letter: DeadLetterTable;
  reconcile_checkpoint: ReconcileCheckpointTable;
  due_event: DueEventTable;
}
