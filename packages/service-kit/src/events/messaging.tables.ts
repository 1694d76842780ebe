import type { TraceHeaders } from '@pinkas/contracts';
import type { ColumnType } from 'kysely';
import type { GeneratedTables } from '../db/generated.tables.js';
import type { AsGenerated, Typed } from '../db/typed-tables.js';
import type { TrailTables } from '../trail/trail.tables.js';

/** The trace that a row belongs to; written as JSON, null where there is none. */
export type TraceColumn = ColumnType<TraceHeaders | null, string | null | undefined, string | null>;

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnMessagingTables {
  /**
   * Events that a transaction of this service has published.
   * - `position`: Increasing; assigned before the commit.
   * - `created_at`: When the row was written: after its position was assigned, and before its transaction
   *   committed.
   * - `sent_at`: When JetStream acknowledged it; null: still to be sent.
   */
  outbox: {
    body: string;
    trace: TraceColumn;
  };
  /**
   * How far the consumers of this service's events, in whatever service, have read its outbox.
   * - `position`: Every event up to here, inclusive, is handled or dead-lettered.
   */
  outbox_reader: AsGenerated;
  /** Events that a consumer of this service has handled; each row is written in the transaction of the effect. */
  inbox: AsGenerated;
  /**
   * Events whose handling failed for good, with what a redrive needs.
   * - `request_id`: The HTTP request that led to the event, where there was one.
   */
  dead_letter: {
    trace: TraceColumn;
  };
  /**
   * How far a consumer's inbox was compared with the outbox of its event's owner.
   * - `position`: Every event up to here, inclusive, is handled or dead-lettered.
   */
  reconcile_checkpoint: AsGenerated;
  /**
   * Events whose first attempt failed, or that a reconciler found missing, until they are handled or
   * dead-lettered.
   * - `request_id`: The HTTP request that led to the event, where there was one.
   * - `attempts`: Begun attempts, the first included.
   * - `claimed_until`: While a worker has it; afterwards another may claim it.
   */
  due_event: {
    trace: TraceColumn;
  };
}

/** The tables of the kit in a service that publishes or handles events. */
export interface MessagingTables extends TrailTables, Typed<GeneratedTables, OwnMessagingTables> {}

export type DeadLetterTable = MessagingTables['dead_letter'];
export type DueEventTable = MessagingTables['due_event'];
