import { enableTenantIsolation, sqlMigration } from '@pinkas/service-kit/schema';

/** People, what they may do in which business, and their sessions. */
export const initial = sqlMigration(`
  create table person (
    id              uuid not null,
    -- In lower case, its domain in ASCII.
    email           text not null,
    -- Null: the language of the browser, or Hebrew.
    language        text,
    created_at      timestamptz not null,
    constraint person_pkey primary key (id),
    constraint person_email_key unique (email),
    constraint person_language_check check (language in ('he', 'en'))
  );

  create table membership (
    business_id uuid not null,
    person_id   uuid not null,
    role        text not null,
    -- Null: the operator.
    invited_by  uuid,
    invited_at  timestamptz not null,
    constraint membership_pkey primary key (business_id, person_id),
    constraint membership_person_fkey foreign key (person_id) references person (id),
    constraint membership_role_check check (role in ('owner', 'bookkeeper'))
  );
  create index membership_person_idx on membership (person_id);
  ${enableTenantIsolation('membership')}

  create table session (
    id           uuid not null,
    person_id    uuid not null,
    -- Of the value in the cookie, which is stored nowhere.
    token_hash   bytea not null,
    created_at   timestamptz not null,
    last_used_at timestamptz not null,
    expires_at   timestamptz not null,
    -- When the person last proved who they are.
    proved_at    timestamptz not null,
    user_agent   text not null,
    network      text not null,
    constraint session_pkey primary key (id),
    constraint session_token_hash_key unique (token_hash),
    constraint session_person_fkey foreign key (person_id) references person (id),
    constraint session_token_hash_check check (octet_length(token_hash) = 32)
  );
  create index session_person_idx on session (person_id);
`);
