import { enableTenantIsolation, sqlMigration } from '@pinkas/service-kit/schema';

/** Exports that people request, and their files. */
export const exports = sqlMigration(`
  create table export_job (
    business_id       uuid not null,
    id                uuid not null,
    -- Of a person who may no longer be here; the trail of issuing names them as well.
    person_id         uuid not null,
    format            text not null,
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
    constraint export_job_format_check check (format in ('uniform', 'jsonl', 'csv', 'pdf-zip')),
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
`);
