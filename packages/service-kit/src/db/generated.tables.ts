import type { Generated } from 'kysely';

/** The tables as the migrations make them; a test compares them with the database, and writes this file (CONTRIBUTING.md). */
export interface GeneratedTables {
  audit_chain: {
    business_id: string;
    last_n: number;
    last_hash: Buffer | null;
    changed_at: Date;
  };
  audit_entry: {
    business_id: string;
    n: number;
    at: Date;
    action: string;
    subject: string;
    actor: string;
    request_id: string | null;
    before: unknown;
    after: unknown;
    hash: Buffer;
  };
  dead_letter: {
    id: Generated<string>;
    consumer: string;
    message_id: string;
    subject: string;
    body: string;
    request_id: string | null;
    trace: unknown;
    reason: string;
    attempts: number;
    dead_lettered_at: Generated<Date>;
  };
  due_event: {
    consumer: string;
    message_id: string;
    subject: string;
    body: string;
    request_id: string | null;
    trace: unknown;
    /** Why the last attempt failed; null: none was made. */
    reason: string | null;
    attempts: number;
    first_due_at: Generated<Date>;
    next_attempt_at: Date;
    claimed_until: Date | null;
  };
  inbox: {
    consumer: string;
    message_id: string;
    handled_at: Generated<Date>;
  };
  outbox: {
    position: Generated<number>;
    id: string;
    subject: string;
    body: unknown;
    request_id: string | null;
    created_at: Generated<Date>;
    sent_at: Date | null;
    trace: unknown;
  };
  outbox_reader: {
    consumer: string;
    position: number;
  };
  reconcile_checkpoint: {
    consumer: string;
    position: number;
    /** Until when no replica but the one that claimed it compares the consumer. */
    claimed_until: Date;
  };
}
