import { enableTenantIsolation, sqlMigration } from '@pinkas/service-kit/schema';

/** How people prove who they are. */
export const signingIn = sqlMigration(`
  alter table session
    -- The value that the browser gets next; the current one is valid until this one was seen.
    add column next_token_hash bytea,
    add column next_token_at timestamptz,
    -- The value before the current one, for requests that were in flight.
    add column previous_token_hash bytea,
    add column previous_token_until timestamptz,
    -- When the current value was first seen.
    add column token_since timestamptz not null default now(),
    add constraint session_next_token_hash_key unique (next_token_hash);
  create index session_previous_token_idx on session (previous_token_hash);
  create index session_expires_idx on session (expires_at);

  -- When the invitation was rejected, or expired unsent; null: it was not.
  alter table membership add column undelivered_at timestamptz;

  -- A mail that is due. Whether somebody has the address is looked up when it is sent.
  create table due_notice (
    id              uuid not null,
    kind            text not null,
    email           text not null,
    -- Of the cookie of the browser that asked; null: an invitation.
    browser_hash    bytea,
    -- Null: no invitation.
    business_id     uuid,
    next_path       text not null,
    language        text not null,
    request_id      text,
    requested_at    timestamptz not null,
    attempts        integer not null,
    next_attempt_at timestamptz not null,
    claimed_until   timestamptz,
    constraint due_notice_pkey primary key (id),
    constraint due_notice_kind_check check (kind in ('sign_in', 'invitation')),
    constraint due_notice_invitation_check check ((kind = 'invitation') = (business_id is not null))
  );
  create index due_notice_due_idx on due_notice (next_attempt_at);
  ${enableTenantIsolation('due_notice')}

  create table sign_in_link (
    -- Of the token in the link, which is stored nowhere.
    token_hash   bytea not null,
    person_id    uuid not null,
    -- The mail that has the link; null: an operator handed it over.
    notice_id    uuid,
    -- Of the cookie of the browser that asked; null: no browser did.
    browser_hash bytea,
    next_path    text not null,
    expires_at   timestamptz not null,
    used_at      timestamptz,
    constraint sign_in_link_pkey primary key (token_hash),
    constraint sign_in_link_person_fkey foreign key (person_id) references person (id)
  );
  create index sign_in_link_notice_idx on sign_in_link (notice_id);
  create index sign_in_link_expires_idx on sign_in_link (expires_at);

  -- A proof that has begun: the challenge of a passkey, or the state of OpenID Connect. Its end deletes it.
  create table ceremony (
    challenge_hash bytea not null,
    kind           text not null,
    browser_hash   bytea not null,
    -- Null: nobody was signed in.
    person_id      uuid,
    nonce          text,
    code_verifier  text,
    next_path      text not null,
    expires_at     timestamptz not null,
    constraint ceremony_pkey primary key (challenge_hash),
    constraint ceremony_kind_check check (kind in ('oidc', 'passkey', 'new_passkey'))
  );
  create index ceremony_expires_idx on ceremony (expires_at);

  create table passkey (
    id            uuid not null,
    person_id     uuid not null,
    credential_id text not null,
    public_key    bytea not null,
    counter       bigint not null,
    transports    text[] not null,
    name          text not null,
    created_at    timestamptz not null,
    last_used_at  timestamptz,
    constraint passkey_pkey primary key (id),
    constraint passkey_credential_key unique (credential_id),
    constraint passkey_person_fkey foreign key (person_id) references person (id)
  );
  create index passkey_person_idx on passkey (person_id);

  -- How often something was attempted. The bucket is a keyed hash of an address or a network, so that there are so many rows at most.
  create table attempt_count (
    kind     text not null,
    bucket   integer not null,
    attempts integer not null,
    ends_at  timestamptz not null,
    constraint attempt_count_pkey primary key (kind, bucket)
  );
  create index attempt_count_ends_idx on attempt_count (ends_at);
`);
