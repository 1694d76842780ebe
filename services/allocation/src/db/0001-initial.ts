import {
  createTestBookFunction,
  enableTenantIsolation,
  keepLiveRows,
  sqlMigration,
} from '@pinkas/service-kit/schema';

/** The allocation number of each document that requires one, the report of each donation, and the businesses' connections to the tax authority. */
export const initial = sqlMigration(`
  create table allocation (
    business_id         uuid not null,
    document_id         uuid not null,
    kind                text not null,
    state               text not null,
    reason              text,
    number              text,
    confirmation_number text,
    facts               jsonb not null,
    answer              text,
    request_id          text,
    trace               json,
    attempts            integer not null default 0,
    earlier_attempts    integer not null default 0,
    first_attempt_at    timestamptz,
    next_attempt_at     timestamptz,
    claimed_until       timestamptz,
    outcome_unknown     boolean not null default false,
    awaiting_connection boolean not null default false,
    decided_at          timestamptz not null,
    settled_at          timestamptz,
    dead_lettered_at    timestamptz,
    refused_at          timestamptz,
    refusal_codes       text[],
    refusal_message     text,
    refusal_answer      text,
    cancel_requested_at timestamptz,
    cancel_reason       text,
    constraint allocation_pkey primary key (business_id, document_id),
    constraint allocation_confirmation_number_key unique (confirmation_number),
    constraint allocation_state_check check (state in ('pending', 'issued', 'refused', 'dead_lettered')),
    constraint allocation_number_check check (number ~ '^[0-9]{9}$'),
    constraint allocation_kind_check check (kind in ('number', 'donation')),
    constraint allocation_issued_check check ((state = 'issued' and kind = 'number') = (number is not null)
      and (number is null) = (confirmation_number is null)
      and (number is null or right(confirmation_number, 9) = number)),
    constraint allocation_cancel_check check ((cancel_requested_at is null) = (cancel_reason is null)
      and (cancel_requested_at is null or kind = 'donation')),
    constraint allocation_pending_check check ((state = 'pending') = (next_attempt_at is not null)),
    constraint allocation_dead_lettered_check check ((state = 'dead_lettered') = (dead_lettered_at is not null)),
    constraint allocation_attempts_check check (attempts >= 0),
    constraint allocation_earlier_attempts_check check (earlier_attempts between 0 and attempts)
  );
  create index allocation_due_idx on allocation (attempts, next_attempt_at) where state = 'pending';
  create index allocation_next_attempt_idx on allocation (next_attempt_at) where state = 'pending';
  create index allocation_claimed_idx on allocation (claimed_until) where state = 'pending' and claimed_until is not null;
  -- The documents that need a person, in the order in which they are listed.
  create index allocation_unresolved_idx on allocation (business_id, coalesce(dead_lettered_at, refused_at), document_id)
    where state in ('refused', 'dead_lettered');
  create index allocation_document_idx on allocation (document_id);
  create index allocation_dead_lettered_idx on allocation (decided_at, document_id) where state = 'dead_lettered';
  create index allocation_awaiting_connection_idx on allocation (business_id) where awaiting_connection;
  comment on table allocation is
    'What is requested of the tax authority for a document: an allocation number, or the report of a donation. No type needs both.';
  comment on column allocation.kind is 'A donation has its numbers in donation_report.';
  comment on column allocation.cancel_requested_at is
    'Since when the reports of the donation are to be cancelled: then state is about their cancellation.';
  comment on column allocation.facts is 'The issued document and its business, for the request and for the event.';
  comment on column allocation.confirmation_number is
    'The whole number of the tax authority; its rightmost nine digits are printed.';
  comment on column allocation.answer is 'The body of the authority''s last response.';
  comment on column allocation.outcome_unknown is
    'An attempt may have been granted unnoticed: the number is looked up before it is requested again.';
  comment on column allocation.awaiting_connection is
    'The last attempt found no usable connection: it is due again when the owner has logged in.';
  comment on column allocation.refused_at is
    'The last refusal, with its codes, message and response, is a legal event and stays when a number comes later.';
  comment on column allocation.earlier_attempts is
    'How many attempts were made before an operator or a new connection restarted the retry schedule.';
  ${enableTenantIsolation('allocation')}

  create table attempt (
    business_id   uuid not null,
    document_id   uuid not null,
    n             integer not null,
    started_at    timestamptz not null,
    ended_at      timestamptz,
    outcome       text,
    number        text,
    reason        text,
    refusal_codes text[],
    constraint attempt_pkey primary key (business_id, document_id, n),
    constraint attempt_allocation_fkey foreign key (business_id, document_id)
      references allocation (business_id, document_id),
    constraint attempt_n_check check (n >= 1),
    constraint attempt_outcome_check check (outcome in ('granted', 'refused', 'failed', 'dead_lettered')),
    constraint attempt_ended_check check ((outcome is null) = (ended_at is null)),
    constraint attempt_number_check check (number is null or outcome is not distinct from 'granted')
  );
  comment on table attempt is
    'Every attempt to obtain a number, inserted when its document is claimed and completed once: nothing replaces it.';
  comment on column attempt.outcome is
    'dead_lettered: it failed, and no other followed automatically; null: in flight, or its process died.';
  ${enableTenantIsolation('attempt')}
  create function attempt_is_final() returns trigger language plpgsql as $$
  begin
    raise exception 'an attempt that has ended is final' using errcode = 'restrict_violation';
  end $$;
  create trigger attempt_is_final before update on attempt
    for each row when (old.ended_at is not null) execute function attempt_is_final();

  create table donation_report (
    business_id         uuid not null,
    document_id         uuid not null,
    n                   integer not null,
    means               text not null,
    tax_year            integer not null,
    amount              numeric(14, 2) not null,
    number              text,
    answer              text,
    cancellation_number text,
    cancellation_answer text,
    constraint donation_report_pkey primary key (business_id, document_id, n),
    constraint donation_report_allocation_fkey foreign key (business_id, document_id)
      references allocation (business_id, document_id),
    constraint donation_report_number_key unique (number),
    constraint donation_report_n_check check (n >= 1),
    constraint donation_report_amount_check check (amount > 0),
    constraint donation_report_answer_check check ((number is null) = (answer is null)
      and (cancellation_number is null) = (cancellation_answer is null)),
    constraint donation_report_cancellation_check check (cancellation_number is null or number is not null)
  );
  comment on table donation_report is
    'The reports of a donation, one for each means of payment; their sum is the total of the receipt.';
  ${enableTenantIsolation('donation_report')}
  create function donation_report_is_final() returns trigger language plpgsql as $$
  begin
    if new.amount <> old.amount or new.means <> old.means or new.tax_year <> old.tax_year
      or old.number is not null and new.number is distinct from old.number
      or old.cancellation_number is not null and new.cancellation_number is distinct from old.cancellation_number
    then
      raise exception 'a report and its numbers are final' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger donation_report_is_final before update on donation_report
    for each row execute function donation_report_is_final();

  create table connection (
    business_id        uuid not null,
    access_token       bytea not null,
    access_expires_at  timestamptz not null,
    refresh_token      bytea not null,
    refresh_expires_at timestamptz,
    connected_at       timestamptz not null,
    refreshed_at       timestamptz not null,
    broken_at          timestamptz,
    warning            text,
    constraint connection_pkey primary key (business_id),
    constraint connection_warning_check check (warning in ('expiring', 'ended'))
  );
  comment on table connection is 'Tokens are encrypted with AES-256-GCM; the key is not in the database.';
  comment on column connection.broken_at is
    'When the authority rejected the refresh token; the owner has to log in again.';
  comment on column connection.warning is 'The last warning that was logged, so that it is logged once.';
  ${enableTenantIsolation('connection')}

  create table connection_request (
    business_id  uuid not null,
    state_hash   bytea not null,
    person_id    uuid,
    return_url   text,
    requested_at timestamptz not null,
    expires_at   timestamptz not null,
    used_at      timestamptz,
    failure      text,
    constraint connection_request_pkey primary key (business_id),
    constraint connection_request_state_hash_key unique (state_hash),
    constraint connection_request_failure_check check (failure is null or used_at is not null)
  );
  comment on table connection_request is
    'The authorization URL that an owner was given last, until it has led to a connection.';
  comment on column connection_request.state_hash is
    'SHA-256 of the state in the URL, which alone may complete it, once.';
  comment on column connection_request.person_id is
    'Who alone may complete it, at return_url; null: the operator, and the URL is enough.';
  ${enableTenantIsolation('connection_request')}

  -- Only a test book can be emptied.
  ${createTestBookFunction}
  ${keepLiveRows('allocation')}
  ${keepLiveRows('attempt')}
  ${keepLiveRows('donation_report')}
`);
