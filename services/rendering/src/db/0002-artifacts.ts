import { sqlMigration } from '@pinkas/service-kit/schema';

/** The signed PDFs. */
export const artifacts = sqlMigration(`
  create table artifact (
    business_id        uuid not null,
    document_id        uuid not null,
    revision           integer not null,
    request_sha256     bytea not null,
    sha256             bytea not null,
    pdf                bytea not null,
    size_bytes         integer not null,
    template_version   integer not null,
    certificate_sha256 bytea not null,
    allocation_number  text,
    created_at         timestamptz not null default now(),
    confirmed_at       timestamptz,
    announced_at       timestamptz,
    constraint artifact_pkey primary key (business_id, document_id, revision),
    constraint artifact_revision_check check (revision >= 1),
    constraint artifact_size_check check (size_bytes = octet_length(pdf)),
    constraint artifact_sha256_check check (sha256 = sha256(pdf)),
    constraint artifact_allocation_number_check check (allocation_number ~ '^[0-9]{9}$'),
    constraint artifact_announced_check check (announced_at is null or confirmed_at is not null)
  );
  -- A PDF is compressed already: compressing it again would only cost time.
  alter table artifact alter column pdf set storage external;
  create index artifact_unconfirmed_idx on artifact (created_at) where confirmed_at is null;

  -- The signed file is the original (Income Tax (Bookkeeping) Instructions, 18b and 25): it is never changed, and never
  -- deleted once its document is in the book.
  create function artifact_is_final() returns trigger language plpgsql as $$
  begin
    raise exception 'an artifact is final' using errcode = 'restrict_violation';
  end $$;
  create trigger artifact_is_final before update of business_id, document_id, revision, request_sha256, sha256, pdf,
    size_bytes, template_version, certificate_sha256, allocation_number, created_at on artifact
    for each row execute function artifact_is_final();
  create function artifact_goes_on() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      if old.confirmed_at is not null then
        raise exception 'a confirmed artifact is never deleted' using errcode = 'restrict_violation';
      end if;
      return old;
    end if;
    if old.confirmed_at is not null and new.confirmed_at is distinct from old.confirmed_at
      or old.announced_at is not null and new.announced_at is distinct from old.announced_at
    then
      raise exception 'an artifact is final' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger artifact_goes_on before update or delete on artifact
    for each row execute function artifact_goes_on();
  create function artifact_is_kept() returns trigger language plpgsql as $$
  begin
    raise exception 'artifacts are never deleted together' using errcode = 'restrict_violation';
  end $$;
  create trigger artifact_is_kept before truncate on artifact
    for each statement execute function artifact_is_kept();
`);
