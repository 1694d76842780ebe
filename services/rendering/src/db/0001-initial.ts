import {
  createTestBookFunction,
  enableTenantIsolation,
  keepLiveRows,
  sqlMigration,
} from '@pinkas/service-kit/schema';

/** The signed PDFs, which of them were released for the customer, and the logos of businesses. */
export const initial = sqlMigration(`
  -- Only a test book can be emptied.
  ${createTestBookFunction}

  create table artifact (
    business_id        uuid not null,
    document_id        uuid not null,
    revision           integer not null,
    request_sha256     bytea not null,
    attempt            integer,
    sha256             bytea not null,
    pdf                bytea not null,
    size_bytes         integer not null,
    template_version   integer not null,
    certificate_sha256 bytea not null,
    allocation_number  text,
    number_pending     boolean not null default false,
    report_cancelled   boolean not null default false,
    cancelled_at       timestamptz,
    cancel_reason      text,
    created_at         timestamptz not null default now(),
    published_at       timestamptz,
    original           boolean not null,
    constraint artifact_pkey primary key (business_id, document_id, revision),
    constraint artifact_revision_check check (revision >= 1),
    constraint artifact_attempt_check check ((attempt is not null) = (revision = 1)),
    constraint artifact_size_check check (size_bytes = octet_length(pdf)),
    constraint artifact_sha256_check check (sha256 = sha256(pdf)),
    constraint artifact_allocation_number_check check (allocation_number ~ '^[0-9A-Za-z/-]+(, [0-9A-Za-z/-]+)*$'),
    constraint artifact_number_pending_check check (not number_pending or allocation_number is null),
    constraint artifact_cancel_reason_check check (cancel_reason is null or cancelled_at is not null)
  );
  -- A PDF is compressed already: compressing it again would only cost time.
  alter table artifact alter column pdf set storage external;
  create index artifact_first_idx on artifact (created_at) where revision = 1;
  comment on column artifact.allocation_number is
    'The tax authority''s number: an allocation number, or that of a donation report.';
  comment on column artifact.report_cancelled is 'Whether it says that the report of its donation was cancelled.';
  comment on column artifact.original is 'Whether it says that it is the original.';
  comment on column artifact.attempt is 'Of the requests for a document that is being issued; only an older one is replaced.';
  ${enableTenantIsolation('artifact')}

  -- The first PDFs up to an instant were compared with the book, and those of documents that were never issued deleted.
  create table artifact_comparison (
    one            boolean not null default true constraint artifact_comparison_pkey primary key,
    compared_until timestamptz not null,
    constraint artifact_comparison_one_check check (one)
  );
  insert into artifact_comparison values (true, '-infinity');
  create function check_artifact_comparison() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'UPDATE' or new.compared_until < old.compared_until then
      raise exception 'what was compared stays so' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger artifact_comparison_increases before insert or update or delete on artifact_comparison
    for each row execute function check_artifact_comparison();

  -- The signed file is the original (Income Tax (Bookkeeping) Instructions, 18b and 25): it never changes, and is never
  -- deleted once its document is issued.
  create function reject_artifact_change() returns trigger language plpgsql as $$
  begin
    raise exception 'an artifact is final' using errcode = 'restrict_violation';
  end $$;
  create trigger artifact_content_is_final before update of business_id, document_id, revision, request_sha256, attempt, sha256,
    pdf, size_bytes, template_version, certificate_sha256, allocation_number, number_pending, report_cancelled, cancelled_at,
    cancel_reason, created_at, original on artifact
    for each row execute function reject_artifact_change();
  create function check_artifact_state() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      if not is_test_book(old.business_id) and (
        old.revision > 1 or old.created_at <= (select compared_until from artifact_comparison)
      ) then
        raise exception 'the artifact of an issued document is never deleted' using errcode = 'restrict_violation';
      end if;
      return old;
    end if;
    if old.published_at is not null and new.published_at is distinct from old.published_at then
      raise exception 'an artifact is final' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger artifact_state_is_final before update or delete on artifact
    for each row execute function check_artifact_state();
  create function reject_artifact_truncate() returns trigger language plpgsql as $$
  begin
    raise exception 'artifacts are never truncated' using errcode = 'restrict_violation';
  end $$;
  create trigger artifact_is_not_truncated before truncate on artifact
    for each statement execute function reject_artifact_truncate();

  create table artifact_release (
    business_id uuid not null,
    document_id uuid not null,
    released_at timestamptz not null,
    constraint artifact_release_pkey primary key (business_id, document_id)
  );
  comment on table artifact_release is
    'The documents of which a PDF was released to be sent to the customer, so that every later revision of them is a copy.';
  ${enableTenantIsolation('artifact_release')}

  create table logo (
    business_id uuid not null,
    sha256      bytea not null,
    media_type  text not null,
    bytes       bytea not null,
    width       double precision not null,
    height      double precision not null,
    created_at  timestamptz not null default now(),
    constraint logo_pkey primary key (business_id, sha256),
    constraint logo_sha256_check check (sha256 = sha256(bytes)),
    constraint logo_media_type_check check (media_type in ('image/png', 'image/svg+xml')),
    constraint logo_sides_check check (width > 0 and height > 0)
  );
  comment on table logo is
    'The logos of businesses by their content. None is deleted: a document is rendered again with the logo that it was issued with.';
  -- An image is compressed already.
  alter table logo alter column bytes set storage external;
  ${enableTenantIsolation('logo')}

  create table logo_preview (
    business_id uuid not null,
    sha256      bytea not null,
    media_type  text not null,
    bytes       bytea not null,
    width       double precision not null,
    height      double precision not null,
    created_at  timestamptz not null default now(),
    constraint logo_preview_pkey primary key (business_id, sha256)
  );
  comment on table logo_preview is 'Logos that are not saved yet. They are deleted after an hour.';
  create index logo_preview_created_idx on logo_preview (created_at);
  ${enableTenantIsolation('logo_preview')}

  ${keepLiveRows('artifact_release')}
  ${keepLiveRows('logo')}

  -- The signed ends of the chains of all services; the service's role may append to them, and no more.
  create table signed_heads (
    n                  bigint not null constraint signed_heads_pkey primary key,
    signed_at          timestamptz not null,
    statement          text not null,
    signature          bytea not null,
    certificate_sha256 bytea not null
  );
  create function signed_heads_are_final() returns trigger language plpgsql as $$
  begin
    raise exception 'signed heads cannot be changed' using errcode = 'restrict_violation';
  end $$;
  -- The last end of each chain that a statement has, by service, business and type: a chain that has not moved is not stated again.
  create table stated_head (
    chain text not null constraint stated_head_pkey primary key,
    n     bigint not null,
    hash  text not null
  );
  -- The certificates that statements and their time-stamps were signed with.
  create table heads_certificate (
    sha256   bytea not null,
    purpose  text not null constraint heads_certificate_purpose_check check (purpose in ('statement', 'timestamp')),
    -- Of the first statement.
    since    timestamptz not null,
    constraint heads_certificate_pkey primary key (sha256, purpose)
  );
  create trigger heads_certificate_is_final before update or delete or truncate on heads_certificate
    for each statement execute function signed_heads_are_final();
  create trigger signed_heads_are_final before update or delete or truncate on signed_heads
    for each statement execute function signed_heads_are_final();
`);
