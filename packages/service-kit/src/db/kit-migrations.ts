import type { Migrations } from './migrate.js';
import { sqlMigration } from './sql-migration.js';

/**
 * The kit's tables in the database of every service that publishes or handles events. They have their own ledger (`kit_migration`),
 * so that a change of the kit is not a migration of each service.
 */
export const kitMigrations: Migrations = {
  '0001-messaging': sqlMigration(`
    create table outbox (
      position   bigint generated always as identity constraint outbox_pkey primary key,
      id         uuid not null constraint outbox_id_key unique,
      subject    text not null,
      body       json not null,
      request_id text,
      -- The instant of the row, not of its transaction: the reconciler judges the order of commits by it.
      created_at timestamptz not null default clock_timestamp(),
      sent_at    timestamptz,
      trace      json
    );
    create index outbox_unsent_idx on outbox (position) where sent_at is null;
    create index outbox_sent_idx on outbox (sent_at) where sent_at is not null;

    create table outbox_reader (
      consumer text not null constraint outbox_reader_pkey primary key,
      position bigint not null
    );
    comment on table outbox_reader is
      'How far the consumers of this service''s events have read its outbox, as their reconcilers report it.';

    create table inbox (
      consumer   text not null,
      message_id uuid not null,
      handled_at timestamptz not null default now(),
      constraint inbox_pkey primary key (consumer, message_id)
    );
    create index inbox_handled_idx on inbox (handled_at);

    create table dead_letter (
      id               uuid not null default gen_random_uuid() constraint dead_letter_pkey primary key,
      consumer         text not null,
      message_id       uuid not null,
      subject          text not null,
      body             text not null,
      request_id       text,
      trace            json,
      reason           text not null,
      attempts         integer not null,
      dead_lettered_at timestamptz not null default now(),
      constraint dead_letter_event_key unique (consumer, message_id)
    );

    create table reconcile_checkpoint (
      consumer text not null constraint reconcile_checkpoint_pkey primary key,
      position bigint not null
    );

    create table reconcile_attempt (
      consumer         text not null,
      message_id       uuid not null,
      attempts         integer not null,
      first_attempt_at timestamptz not null default now(),
      last_attempt_at  timestamptz not null default now(),
      constraint reconcile_attempt_pkey primary key (consumer, message_id)
    );
  `),
};
