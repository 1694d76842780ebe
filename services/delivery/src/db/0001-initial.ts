import {
  createTestBookFunction,
  enableTenantIsolation,
  keepLiveRows,
  sqlMigration,
} from '@pinkas/service-kit/schema';

/** Messages, send attempts and suppressed addresses. */
export const initial = sqlMigration(`
  create table document (
    business_id        uuid not null,
    document_id        uuid not null,
    hold_until         timestamptz,
    revision           integer,
    allocation_number  text,
    allocation_pending boolean not null default false,
    report_cancelled   boolean not null default false,
    cancelled_at       timestamptz,
    constraint document_pkey primary key (business_id, document_id),
    constraint document_allocation_check check (revision is not null or allocation_number is null and not allocation_pending
      and not report_cancelled)
  );
  comment on table document is
    'The documents that have messages, or may get some: their events come in any order. Its lock orders them with send attempts.';
  comment on column document.hold_until is
    'Until when messages wait for an allocation number that is being obtained; null: none is planned.';
  comment on column document.revision is 'The latest PDF that is final, so that it may go to the customer; null: none is.';
  comment on column document.allocation_pending is
    'Whether the allocation number is still being obtained; never true again after it was false.';
  comment on column document.report_cancelled is 'Whether the report of its donation was cancelled.';
  comment on column document.cancelled_at is 'From then on nothing is sent; null: it is not cancelled.';
  create index document_document_idx on document (document_id);
  ${enableTenantIsolation('document')}

  create table delivery (
    business_id      uuid not null,
    id               uuid not null,
    document_id      uuid not null,
    channel          text not null,
    purpose          text not null,
    recipient        text not null,
    follows          uuid,
    state            text not null,
    facts            jsonb not null,
    message_id       text not null,
    request_id       text,
    trace            json,
    not_before       timestamptz,
    held_until       timestamptz,
    attempts         integer not null default 0,
    unknown_outcomes integer not null default 0,
    first_attempt_at timestamptz,
    next_attempt_at  timestamptz not null,
    claimed_until    timestamptz,
    last_error       text,
    resends          integer not null default 0,
    created_at       timestamptz not null,
    sent_at          timestamptz,
    failed_at        timestamptz,
    withdrawn_at     timestamptz,
    withdrawn_reason text,
    requested           boolean not null default false,
    reminder            jsonb,
    report_cancelled    boolean not null default false,
    constraint delivery_pkey primary key (business_id, id),
    constraint delivery_follows_fkey foreign key (business_id, follows) references delivery (business_id, id),
    constraint delivery_follows_key unique (business_id, follows, report_cancelled),
    constraint delivery_report_cancelled_check check (not report_cancelled or follows is not null),
    constraint delivery_channel_check check (channel in ('email', 'whatsapp')),
    constraint delivery_reminder_check check (reminder is null or channel = 'email' and purpose = 'customer' and requested),
    constraint delivery_purpose_check check (purpose in ('customer', 'accountant')),
    constraint delivery_state_check check (state in ('waiting', 'ready', 'sending', 'sent', 'failed', 'withdrawn')),
    constraint delivery_sending_check check (state <> 'sending' or claimed_until is not null),
    constraint delivery_sent_check check ((state = 'sent') = (sent_at is not null)),
    constraint delivery_failed_check check ((state = 'failed') = (failed_at is not null)),
    constraint delivery_withdrawn_check check ((state = 'withdrawn') = (withdrawn_at is not null)
      and (withdrawn_at is null) = (withdrawn_reason is null)),
    constraint delivery_attempts_check check (attempts >= 0 and unknown_outcomes between 0 and 2)
  );
  create unique index delivery_planned_key on delivery (business_id, document_id, channel, purpose, recipient)
    where follows is null and not requested;
  create index delivery_document_idx on delivery (business_id, document_id);
  create index delivery_due_idx on delivery (channel, next_attempt_at) where state = 'ready';
  create index delivery_sending_idx on delivery (claimed_until) where state = 'sending';
  create index delivery_failed_idx on delivery (business_id, failed_at) where state = 'failed';
  create index delivery_failures_idx on delivery (failed_at, id) where state = 'failed';
  comment on column delivery.state is
    'waiting: for the final PDF; sending: a send attempt is in flight until claimed_until; withdrawn: never sent.';
  comment on column delivery.follows is
    'The message, sent without the allocation number, that this one follows with the number; null: it follows none.';
  comment on column delivery.report_cancelled is
    'Whether it follows with the news that the report of its donation was cancelled, and not with a number.';
  comment on column delivery.held_until is
    'Until when it waits, or has waited, for the allocation number; null: it does not wait, or the wait has ended early.';
  comment on column delivery.facts is 'What the message says; enough to compose it without another service.';
  comment on column delivery.attempts is
    'Attempts since an operator last made it due, including those that never reached a provider.';
  comment on column delivery.unknown_outcomes is
    'Attempts of which it is unknown whether the provider accepted the message; after the first it is sent once more, after the second never.';
  comment on column delivery.requested is 'Whether a person asked for it, beside what was planned at issue.';
  comment on column delivery.reminder is
    'What an email that reminds a customer of open documents says, and of which; null: the message brings its document.';
  comment on column delivery.resends is 'How often an operator made it due again after it had failed.';
  ${enableTenantIsolation('delivery')}

  create table attempt (
    business_id       uuid not null,
    delivery_id       uuid not null,
    n                 integer not null,
    allocation_number text,
    report_cancelled  boolean not null default false,
    started_at        timestamptz not null,
    ended_at          timestamptz,
    outcome           text,
    was_unknown       boolean not null default false,
    provider_response text,
    provider_id       text,
    constraint attempt_pkey primary key (business_id, delivery_id, n),
    constraint attempt_delivery_fkey foreign key (business_id, delivery_id) references delivery (business_id, id),
    constraint attempt_n_check check (n >= 1),
    constraint attempt_outcome_check check (outcome in ('accepted', 'temporary', 'permanent', 'unknown')),
    constraint attempt_ended_check check ((outcome is null) = (ended_at is null)),
    constraint attempt_unknown_check check (outcome is distinct from 'unknown' or was_unknown)
  );
  create unique index attempt_open_key on attempt (business_id, delivery_id) where outcome is null;
  comment on table attempt is
    'Inserted before a message is sent, completed afterwards; at most one of a message is open.';
  comment on column attempt.allocation_number is 'The allocation number that its PDF shows; null: it shows none.';
  comment on column attempt.report_cancelled is 'Whether its PDF says that the report of its donation was cancelled.';
  comment on column attempt.was_unknown is
    'Whether the outcome was ever unknown; stays true when it is learned later.';
  ${enableTenantIsolation('attempt')}

  create table reminder_limit (
    business_id uuid not null,
    subject_id  uuid not null,
    reminded_at timestamptz,
    delivery_id uuid,
    constraint reminder_limit_pkey primary key (business_id, subject_id)
  );
  comment on table reminder_limit is
    'When a customer, or a document, was last reminded of; its upsert refuses another reminder within three days.';
  comment on column reminder_limit.reminded_at is 'When the last reminder left, or may have left; null: none has.';
  comment on column reminder_limit.delivery_id is 'The reminder that has not ended yet; null: there is none.';
  ${enableTenantIsolation('reminder_limit')}

  create table daily_count (
    business_id uuid not null,
    counted_on  date not null,
    messages    integer not null,
    constraint daily_count_pkey primary key (business_id, counted_on),
    constraint daily_count_messages_check check (messages >= 1)
  );
  comment on table daily_count is 'The messages whose first attempt began on a day in Israel.';
  ${enableTenantIsolation('daily_count')}

  create table suppression (
    business_id uuid not null,
    channel     text not null,
    address     text not null,
    reason      text not null,
    detail      text,
    since       timestamptz not null,
    constraint suppression_pkey primary key (business_id, channel, address),
    constraint suppression_channel_check check (channel in ('email', 'whatsapp')),
    constraint suppression_reason_check check (reason in ('bounced', 'blocked'))
  );
  comment on column suppression.address is
    'An email address in lower case with its domain in ASCII, or a phone number in E.164.';
  ${enableTenantIsolation('suppression')}

  -- The messages that test books would have sent; only a test book can be emptied.
  ${createTestBookFunction}
  create table test_message (
    business_id uuid not null,
    delivery_id uuid not null,
    document_id uuid not null,
    channel     text not null,
    purpose     text not null,
    recipient   text not null,
    subject     text not null,
    body        text not null,
    pdf_sha256  bytea not null,
    sent_at     timestamptz not null,
    constraint test_message_pkey primary key (business_id, delivery_id),
    constraint test_message_channel_check check (channel in ('email', 'whatsapp')),
    constraint test_message_purpose_check check (purpose in ('customer', 'accountant')),
    constraint test_message_business_check check (is_test_book(business_id))
  );
  create index test_message_sent_idx on test_message (business_id, sent_at, delivery_id);
  comment on table test_message is 'The messages of test books: what would have been given to a provider.';
  comment on column test_message.body is 'The text of an email, or the JSON of a WhatsApp message.';
  ${enableTenantIsolation('test_message')}

  -- The events of the HTTP API, and their webhooks.
  create table event_book (
    business_id   uuid not null,
    last_position bigint not null default 0,
    last_sequence bigint not null default 0,
    unlisted      bigint not null default 0,
    constraint event_book_pkey primary key (business_id),
    constraint event_book_positions_check check (last_position >= 0 and last_sequence >= 0)
  );
  comment on table event_book is 'The end of the list of events of a book. Its lock orders what is added.';
  comment on column event_book.last_sequence is
    'The number that issuing gave to the last of its events that are listed: the next one is listed after it.';
  comment on column event_book.unlisted is
    'How many events have no position: kept here, since a statement that waits for the lock has not seen their rows.';
  ${enableTenantIsolation('event_book')}

  create table event (
    business_id uuid not null,
    id          uuid not null,
    type        text not null,
    document_id uuid,
    sequence    bigint,
    position    bigint,
    body        text not null,
    stored_at   timestamptz not null,
    constraint event_pkey primary key (business_id, id),
    constraint event_position_key unique (business_id, position),
    constraint event_position_check check (position >= 1)
  );
  create index event_type_idx on event (business_id, type, position);
  create index event_document_idx on event (business_id, document_id, position);
  create index event_unlisted_idx on event (business_id, sequence) where position is null;
  create index event_stored_idx on event (stored_at);
  comment on column event.sequence is 'Its number in the order of commits of issuing; null: another service has published it.';
  comment on column event.position is 'In the list of the book; null: an event that was committed before it has not arrived yet.';
  comment on column event.body is 'What webhooks send and the list has.';
  ${enableTenantIsolation('event')}

  create table webhook_endpoint (
    business_id           uuid not null,
    id                    uuid not null,
    url                   text not null,
    types                 text[],
    description           text,
    enabled               boolean not null default true,
    disabled_reason       text,
    secret                bytea not null,
    previous_secret       bytea,
    previous_secret_until timestamptz,
    created_at            timestamptz not null,
    removed_at            timestamptz,
    failing_since         timestamptz,
    last_received_at      timestamptz,
    last_failed_at        timestamptz,
    last_failure          text,
    notices               integer not null default 0,
    notice_claimed_until  timestamptz,
    answered_on           date,
    answer_bytes          integer not null default 0,
    constraint webhook_endpoint_pkey primary key (business_id, id),
    constraint webhook_endpoint_reason_check check (disabled_reason in ('owner', 'gone', 'failing')),
    constraint webhook_endpoint_enabled_check check (enabled = (disabled_reason is null)),
    constraint webhook_endpoint_previous_check check ((previous_secret is null) = (previous_secret_until is null)),
    constraint webhook_endpoint_failure_check check ((last_failed_at is null) = (last_failure is null)),
    constraint webhook_endpoint_notices_check check (notices between 0 and 2)
  );
  create index webhook_endpoint_id_idx on webhook_endpoint (id);
  create index webhook_endpoint_failing_idx on webhook_endpoint (failing_since) where failing_since is not null and notices < 2;
  comment on column webhook_endpoint.types is 'Null: all.';
  comment on column webhook_endpoint.secret is 'Encrypted; the one before it signs as well until previous_secret_until.';
  comment on column webhook_endpoint.removed_at is 'From then on it does not exist; what is left of it is deleted in parts.';
  comment on column webhook_endpoint.answer_bytes is
    'What the log has stored of its answers on the day answered_on: beyond a limit it stores none.';
  comment on column webhook_endpoint.notices is
    'The emails to the owner about it since it last received: 1, that it fails for a day; 2, that it was disabled.';
  ${enableTenantIsolation('webhook_endpoint')}

  create table webhook (
    business_id      uuid not null,
    endpoint_id      uuid not null,
    event_id         uuid not null,
    state            text not null default 'pending',
    attempts         integer not null default 0,
    earlier_attempts integer not null default 0,
    next_attempt_at  timestamptz not null,
    claimed_until    timestamptz,
    constraint webhook_pkey primary key (business_id, endpoint_id, event_id),
    constraint webhook_event_fkey foreign key (business_id, event_id) references event (business_id, id) on delete cascade,
    constraint webhook_endpoint_fkey foreign key (business_id, endpoint_id) references webhook_endpoint (business_id, id),
    constraint webhook_state_check check (state in ('pending', 'received', 'given_up')),
    constraint webhook_attempts_check check (attempts >= earlier_attempts and earlier_attempts >= 0)
  );
  create index webhook_event_idx on webhook (business_id, event_id);
  create index webhook_due_idx on webhook (business_id, endpoint_id, next_attempt_at) where state = 'pending';
  create index webhook_claimed_idx on webhook (claimed_until) where claimed_until is not null;
  comment on table webhook is 'An event for an endpoint.';
  comment on column webhook.earlier_attempts is 'Those before it was last made due by a person.';
  ${enableTenantIsolation('webhook')}

  create table webhook_attempt (
    business_id uuid not null,
    endpoint_id uuid not null,
    event_id    uuid not null,
    n           integer not null,
    started_at  timestamptz not null,
    duration_ms integer not null,
    received    boolean not null,
    status      integer,
    reason      text,
    response    text not null,
    constraint webhook_attempt_pkey primary key (business_id, endpoint_id, event_id, n),
    constraint webhook_attempt_webhook_fkey foreign key (business_id, endpoint_id, event_id)
      references webhook (business_id, endpoint_id, event_id) on delete cascade,
    constraint webhook_attempt_reason_check check (received = (reason is null))
  );
  create index webhook_attempt_started_idx on webhook_attempt (business_id, endpoint_id, started_at, event_id, n);
  create index webhook_attempt_age_idx on webhook_attempt (started_at);
  ${enableTenantIsolation('webhook_attempt')}

  ${['document', 'delivery', 'attempt', 'reminder_limit'].map((table) => keepLiveRows(table)).join('')}
`);
