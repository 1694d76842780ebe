import { hideFromOthers, sqlMigration } from '@pinkas/service-kit/schema';

/**
 * What an operator sees and does: connections that are being made, refusals with the authority's own codes and words, tries
 * that may have been granted without our knowing, and documents that are looked up by their id alone.
 */
export const connectingAndLookingUp = sqlMigration(`
  alter table allocation
    add column unclear boolean not null default false,
    add column waits_for_connection boolean not null default false,
    add column given_up_at timestamptz,
    add column refused_at timestamptz,
    add column refusal_codes text[],
    add column refusal_words text,
    add column refusal_answer text;

  comment on column allocation.unclear is
    'A try may have been granted without our knowing: the number is looked up before it is asked for again.';
  comment on column allocation.waits_for_connection is
    'The last try found no usable connection: it is due again when the owner has logged in.';
  comment on column allocation.refused_at is
    'The last refusal, with its codes, words and whole answer, is a legal event and stays also when a number comes later.';

  update allocation
    set refused_at = coalesce(settled_at, decided_at), refusal_codes = '{}',
      refusal_words = regexp_replace(reason, '^refused: ', ''), refusal_answer = answer
    where state = 'refused';
  update allocation set given_up_at = coalesce(settled_at, decided_at) where state = 'given_up';
  -- Whether an earlier try was granted was not written down until now.
  update allocation set unclear = true where attempts > 0 and state in ('asking', 'given_up');

  create index allocation_document_idx on allocation (document_id);
  create index allocation_parked_idx on allocation (decided_at, document_id) where state = 'given_up';
  create index allocation_waiting_idx on allocation (business_id) where waits_for_connection;

  alter table connection add column warned text,
    add constraint connection_warned_check check (warned in ('expiring', 'ended'));
  comment on column connection.warned is 'What the log has been told of its state, so that it is told once.';

  create table connection_request (
    business_id  uuid not null,
    state_hash   bytea not null,
    requested_at timestamptz not null,
    expires_at   timestamptz not null,
    used_at      timestamptz,
    failure      text,
    constraint connection_request_pkey primary key (business_id),
    constraint connection_request_state_hash_key unique (state_hash),
    constraint connection_request_failure_check check (failure is null or used_at is not null)
  );
  ${hideFromOthers('connection_request')}

  comment on table connection_request is 'The address at the authority that an owner was given last, until it has led to a connection.';
  comment on column connection_request.state_hash is 'SHA-256 of the state in the address, which alone may complete it, once.';
`);
