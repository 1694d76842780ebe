import { sqlMigration } from '@pinkas/service-kit/schema';

/** What was planned for each document, which PDFs are final, and the messages. */
export const deliveries = sqlMigration(`
  create table plan (
    business_id   uuid not null,
    document_id   uuid not null,
    status        text not null,
    channel       text,
    scheduled_for timestamptz,
    planned_at    timestamptz not null,
    constraint plan_pkey primary key (business_id, document_id),
    constraint plan_status_check check (status in ('queued', 'deferred_quiet_hours', 'disabled', 'suppressed',
      'no_recipient', 'send_failed')),
    constraint plan_scheduled_check check ((status = 'deferred_quiet_hours') = (scheduled_for is not null))
  );

  create table rendered (
    business_id uuid not null,
    document_id uuid not null,
    revision    integer not null,
    rendered_at timestamptz not null,
    constraint rendered_pkey primary key (business_id, document_id)
  );

  comment on table rendered is 'The documents whose PDF is final, so that it may go to the customer.';

  create table delivery (
    business_id      uuid not null,
    id               uuid not null,
    document_id      uuid not null,
    channel          text not null,
    purpose          text not null,
    recipient        text not null,
    state            text not null,
    facts            jsonb not null,
    message_id       text not null,
    request_id       text,
    not_before       timestamptz,
    attempts         integer not null default 0,
    unknown_outcomes integer not null default 0,
    first_attempt_at timestamptz,
    next_attempt_at  timestamptz not null,
    claimed_until    timestamptz,
    last_error       text,
    created_at       timestamptz not null,
    sent_at          timestamptz,
    failed_at        timestamptz,
    constraint delivery_pkey primary key (business_id, id),
    constraint delivery_recipient_key unique (business_id, document_id, channel, purpose, recipient),
    constraint delivery_channel_check check (channel in ('email', 'whatsapp')),
    constraint delivery_purpose_check check (purpose in ('customer', 'accountant')),
    constraint delivery_state_check check (state in ('waiting', 'ready', 'sending', 'sent', 'failed')),
    constraint delivery_sending_check check (state <> 'sending' or claimed_until is not null),
    constraint delivery_sent_check check ((state = 'sent') = (sent_at is not null)),
    constraint delivery_failed_check check ((state = 'failed') = (failed_at is not null)),
    constraint delivery_attempts_check check (attempts >= 0 and unknown_outcomes between 0 and 2)
  );
  create index delivery_due_idx on delivery (next_attempt_at) where state = 'ready';
  create index delivery_sending_idx on delivery (claimed_until) where state = 'sending';
  create index delivery_failed_idx on delivery (business_id, failed_at) where state = 'failed';

  comment on column delivery.state is
    'waiting: for the final PDF; sending: handed to the provider, or about to be, until claimed_until.';
  comment on column delivery.facts is 'What the message says: enough to write it without asking anybody.';
  comment on column delivery.unknown_outcomes is
    'How often nobody knows whether the provider took it; after the first time it is sent once more, after the second never.';
`);
