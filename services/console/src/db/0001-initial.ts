import { enableTenantIsolation, sqlMigration } from '@pinkas/service-kit/schema';

/** People, what they may do in which business, their sessions, how they prove who they are, and their exports. */
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
    -- When the invitation was rejected, or expired unsent; null: it was not.
    undelivered_at timestamptz,
    -- When the person first opened the business; null: they have not come yet.
    joined_at   timestamptz,
    constraint membership_pkey primary key (business_id, person_id),
    constraint membership_person_fkey foreign key (person_id) references person (id),
    constraint membership_role_check check (role in ('owner', 'issuer', 'bookkeeper'))
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
    -- The value that the browser gets next; the current one is valid until this one was seen.
    next_token_hash      bytea,
    next_token_at        timestamptz,
    -- The value before the current one, for requests that were in flight.
    previous_token_hash  bytea,
    previous_token_until timestamptz,
    -- When the current value was first seen.
    token_since          timestamptz not null default now(),
    constraint session_pkey primary key (id),
    constraint session_token_hash_key unique (token_hash),
    constraint session_next_token_hash_key unique (next_token_hash),
    constraint session_person_fkey foreign key (person_id) references person (id),
    constraint session_token_hash_check check (octet_length(token_hash) = 32)
  );
  create index session_person_idx on session (person_id);
  create index session_previous_token_idx on session (previous_token_hash);
  create index session_expires_idx on session (expires_at);

  -- What a form has done, until the page that it leads to has shown it.
  create table form_outcome (
    session_id uuid not null,
    -- Of the page, without its query.
    path       text not null,
    outcome    text not null,
    created_at timestamptz not null,
    constraint form_outcome_pkey primary key (session_id, path),
    constraint form_outcome_session_fkey foreign key (session_id) references session (id) on delete cascade
  );

  -- A mail that is due. Whether somebody has the address is looked up when it is sent.
  create table due_notice (
    id              uuid not null,
    kind            text not null,
    email           text not null,
    -- Of the cookie of the browser that asked; null: no browser did.
    browser_hash    bytea,
    -- Null: a link to sign in.
    business_id     uuid,
    -- The address of the person who has left the business.
    left_email      text,
    next_path       text not null,
    language        text not null,
    request_id      text,
    requested_at    timestamptz not null,
    attempts        integer not null,
    next_attempt_at timestamptz not null,
    claimed_until   timestamptz,
    constraint due_notice_pkey primary key (id),
    -- The month of the accountant's files.
    package_month   date,
    constraint due_notice_kind_check
      check (kind in ('sign_in', 'invitation', 'departure', 'package', 'package_failed')),
    constraint due_notice_package_check check ((kind in ('package', 'package_failed')) = (package_month is not null)),
    constraint due_notice_business_check check ((kind = 'sign_in') = (business_id is null)),
    constraint due_notice_left_check check ((kind = 'departure') = (left_email is not null))
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

  -- On which day of each month who gets the files of the month before.
  create table accountant_schedule (
    business_id  uuid not null,
    day_of_month integer not null,
    -- A member.
    recipient_id uuid not null,
    set_by       uuid not null,
    -- The first day of the first month whose files are made.
    first_month  date not null,
    constraint accountant_schedule_pkey primary key (business_id),
    constraint accountant_schedule_recipient_fkey foreign key (recipient_id) references person (id),
    constraint accountant_schedule_day_check check (day_of_month between 1 and 28)
  );
  ${enableTenantIsolation('accountant_schedule')}

  -- The files of a month: the key makes them once.
  create table accountant_package (
    business_id  uuid not null,
    -- Its first day.
    month        date not null,
    recipient_id uuid not null,
    set_by       uuid not null,
    state        text not null,
    created_at   timestamptz not null,
    ended_at     timestamptz,
    failure      text,
    constraint accountant_package_pkey primary key (business_id, month),
    constraint accountant_package_state_check check (state in ('preparing', 'sent', 'failed')),
    constraint accountant_package_ended_check check ((ended_at is null) = (state = 'preparing')),
    constraint accountant_package_failure_check check ((failure is not null) = (state = 'failed'))
  );
  create index accountant_package_preparing_idx on accountant_package (created_at) where state = 'preparing';
  ${enableTenantIsolation('accountant_package')}

  -- Exports that people request, and their files.
  create table export_job (
    business_id       uuid not null,
    id                uuid not null,
    -- Of a person who may no longer be here; the trail of issuing names them as well.
    person_id         uuid not null,
    -- email: sends each document to its customer, and reports what came of it.
    format            text not null,
    -- Which documents of the range, as a filter of the list; null: all of them.
    selection         json,
    -- The test book; null: the live one.
    book_id           uuid,
    -- The month of the accountant's files; null: a person requested it.
    package_month     date,
    -- Of the uniform structure.
    charset           text,
    first_date        date not null,
    last_date         date not null,
    state             text not null default 'queued',
    requested_at      timestamptz not null,
    -- When it is due; null: it ended.
    next_attempt_at   timestamptz,
    attempts          integer not null default 0,
    -- While an attempt runs; afterwards another worker may claim it.
    claimed_until     timestamptz,
    -- Of the latest attempt: an earlier one that still runs can store nothing.
    claim_id          uuid,
    -- When the trail of the book got its entry.
    recorded_at       timestamptz,
    documents         integer not null default 0,
    -- Null: not known.
    documents_total   integer,
    failure           text,
    -- Of the latest attempt that failed.
    error             text,
    file_name         text,
    media_type        text,
    size_bytes        bigint,
    missing_pdf_count integer not null default 0,
    -- Some of them.
    missing_pdfs      text[] not null default '{}',
    ended_at          timestamptz,
    -- When the bytes are deleted.
    expires_at        timestamptz,
    request_id        text,
    trace             json,
    constraint export_job_pkey primary key (business_id, id),
    constraint export_job_format_check
      check (format in ('uniform', 'pcn874', 'jsonl', 'csv', 'pdf-zip', 'donations', 'report', 'email')),
    constraint export_job_package_fkey foreign key (business_id, package_month)
      references accountant_package (business_id, month),
    constraint export_job_charset_check check ((charset is not null) = (format = 'uniform')),
    constraint export_job_dates_check check (first_date <= last_date),
    constraint export_job_state_check check (state in ('queued', 'running', 'done', 'failed', 'expired')),
    constraint export_job_claim_check check ((claimed_until is not null) = (state = 'running')),
    constraint export_job_due_check check ((next_attempt_at is not null) = (state in ('queued', 'running'))),
    constraint export_job_file_check
      check ((file_name is not null and media_type is not null and size_bytes is not null and expires_at is not null)
        = (state in ('done', 'expired'))),
    constraint export_job_failure_check check ((failure is not null) = (state = 'failed'))
  );
  create index export_job_requested_idx on export_job (business_id, requested_at);
  create index export_job_due_idx on export_job (next_attempt_at) where state in ('queued', 'running');
  create index export_job_package_idx on export_job (business_id, package_month) where package_month is not null;
  create index export_job_expires_idx on export_job (expires_at) where state = 'done';
  ${enableTenantIsolation('export_job')}

  create table export_chunk (
    business_id uuid not null,
    export_id   uuid not null,
    position    integer not null,
    bytes       bytea not null,
    constraint export_chunk_pkey primary key (business_id, export_id, position),
    constraint export_chunk_job_fkey foreign key (business_id, export_id) references export_job (business_id, id)
  );
  -- Compressed already, or as large as it is.
  alter table export_chunk alter column bytes set storage external;
  ${enableTenantIsolation('export_chunk')}

  -- One row, which the statements that store and delete chunks lock: all businesses share the disk.
  create table export_volume (
    singleton    boolean not null default true,
    stored_bytes bigint not null default 0,
    constraint export_volume_pkey primary key (singleton),
    constraint export_volume_singleton_check check (singleton),
    constraint export_volume_stored_check check (stored_bytes >= 0)
  );
  insert into export_volume default values;
`);
