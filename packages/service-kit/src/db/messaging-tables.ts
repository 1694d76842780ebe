import type { TraceCarrier } from '@pinkas/contracts';
import type { ColumnType, Generated } from 'kysely';
import { sqlMigration } from './migrate.js';

/** The place in a trace at which a row's work goes on; written as JSON, null where there is none. */
export type TraceColumn = ColumnType<TraceCarrier | null, string | null | undefined, string | null>;

/** Events that were announced in a transaction of this service. */
export interface OutboxTable {
  /** Order of announcement. */
  position: Generated<number>;
  id: string;
  subject: string;
  body: string;
  request_id: string | null;
  trace: TraceColumn;
  /** When the row was written: after its position was drawn, and before its transaction committed. */
  created_at: Generated<Date>;
  /** When JetStream had it; null: still to be sent. */
  sent_at: Date | null;
}

/** Events that a consumer of this service has handled; the row is written in the transaction of its effect. */
export interface InboxTable {
  consumer: string;
  message_id: string;
  handled_at: Generated<Date>;
}

/** Steps that were given up after bounded tries, with what is needed to take them up again. */
export interface DeadLetterTable {
  id: Generated<string>;
  consumer: string;
  message_id: string;
  subject: string;
  body: string;
  /** The request that the event came from, where it said so. */
  request_id: string | null;
  trace: TraceColumn;
  reason: string;
  attempts: number;
  given_up_at: Generated<Date>;
}

/** How far a consumer has held the announcements of its event against what it has handled. */
export interface SweepTable {
  consumer: string;
  /** Every announcement up to here, inclusive, is handled or parked. */
  position: number;
}

/** How often the sweep of a consumer has tried an announcement that is neither handled nor parked yet. */
export interface SweepTryTable {
  consumer: string;
  message_id: string;
  tries: number;
  /** Since when the sweep knows of it. */
  first_tried_at: Generated<Date>;
}

/** The tables that every service with events has. */
export interface MessagingTables {
  outbox: OutboxTable;
  inbox: InboxTable;
  dead_letter: DeadLetterTable;
  sweep: SweepTable;
  sweep_try: SweepTryTable;
}

/** The first migration of every service with events. */
export const messagingTables = sqlMigration(`
  create table outbox (
    position   bigint generated always as identity constraint outbox_pkey primary key,
    id         uuid not null constraint outbox_id_key unique,
    subject    text not null,
    body       json not null,
    request_id text,
    created_at timestamptz not null default now(),
    sent_at    timestamptz
  );
  create index outbox_unsent_idx on outbox (position) where sent_at is null;
  create index outbox_sent_idx on outbox (sent_at) where sent_at is not null;

  create table inbox (
    consumer   text not null,
    message_id uuid not null,
    handled_at timestamptz not null default now(),
    constraint inbox_pkey primary key (consumer, message_id)
  );
  create index inbox_handled_idx on inbox (handled_at);

  create table dead_letter (
    id          uuid not null default gen_random_uuid() constraint dead_letter_pkey primary key,
    consumer    text not null,
    message_id  uuid not null,
    subject     text not null,
    body        text not null,
    reason      text not null,
    attempts    integer not null,
    given_up_at timestamptz not null default now(),
    constraint dead_letter_step_key unique (consumer, message_id)
  );
`);

/**
 * What the sweep needs; a later migration of every service with events. An announcement's `created_at` becomes the instant of
 * the row instead of the beginning of its transaction, which may lie long before the position was drawn: the order of the
 * announcements is judged by it.
 */
export const messagingSweep = sqlMigration(`
  alter table outbox alter column created_at set default clock_timestamp();

  alter table dead_letter add column request_id text;

  create table sweep (
    consumer text not null constraint sweep_pkey primary key,
    position bigint not null
  );

  create table sweep_try (
    consumer   text not null,
    message_id uuid not null,
    tries      integer not null,
    constraint sweep_try_pkey primary key (consumer, message_id)
  );
`);

/** Tells since when a step is overdue; a later migration of every service with events. */
export const messagingAges = sqlMigration(`
  alter table sweep_try add column first_tried_at timestamptz not null default now();
`);

/** Keeps the trace of a document beside what is to be done for it; a later migration of every service with events. */
export const messagingTraces = sqlMigration(`
  alter table outbox add column trace json;
  alter table dead_letter add column trace json;
`);
