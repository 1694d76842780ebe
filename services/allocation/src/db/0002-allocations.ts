import { sqlMigration } from '@pinkas/service-kit/schema';

/** What became of each document's allocation number, and the businesses' connections to the authority. */
export const allocations = sqlMigration(`
  create table allocation (
    business_id         uuid not null,
    document_id         uuid not null,
    state               text not null,
    reason              text,
    number              text,
    confirmation_number text,
    facts               jsonb,
    answer              text,
    request_id          text,
    attempts            integer not null default 0,
    asked_since         timestamptz,
    next_attempt_at     timestamptz,
    claimed_until       timestamptz,
    decided_at          timestamptz not null,
    settled_at          timestamptz,
    constraint allocation_pkey primary key (business_id, document_id),
    constraint allocation_confirmation_number_key unique (confirmation_number),
    constraint allocation_state_check check (state in ('not_required', 'skipped_customer_tax_id_missing',
      'skipped_business_tax_id_missing', 'asking', 'issued', 'refused', 'given_up')),
    constraint allocation_number_check check (number ~ '^[0-9]{9}$'),
    constraint allocation_issued_check check ((state = 'issued') = (number is not null)
      and (number is null) = (confirmation_number is null)
      and (number is null or right(confirmation_number, 9) = number)),
    constraint allocation_asking_check check ((state = 'asking') = (next_attempt_at is not null)),
    constraint allocation_facts_check check ((state in ('asking', 'issued', 'refused', 'given_up')) = (facts is not null)),
    constraint allocation_attempts_check check (attempts >= 0)
  );
  create index allocation_due_idx on allocation (attempts, next_attempt_at) where state = 'asking';
  create index allocation_given_up_idx on allocation (business_id, decided_at) where state in ('refused', 'given_up');

  comment on column allocation.facts is 'The issued document and its business: what is needed to ask, and to announce the answer.';
  comment on column allocation.confirmation_number is 'The whole number of the authority; its rightmost nine digits are printed.';
  comment on column allocation.answer is 'The body of the authority''s last answer.';

  create table connection (
    business_id        uuid not null,
    access_token       bytea not null,
    access_expires_at  timestamptz not null,
    refresh_token      bytea not null,
    refresh_expires_at timestamptz,
    connected_at       timestamptz not null,
    refreshed_at       timestamptz not null,
    broken_at          timestamptz,
    constraint connection_pkey primary key (business_id)
  );

  comment on table connection is 'Tokens are encrypted with AES-256-GCM; the key is not in the database.';
  comment on column connection.broken_at is
    'Since when the authority takes the refresh token no more, so that the owner has to log in again.';
`);
