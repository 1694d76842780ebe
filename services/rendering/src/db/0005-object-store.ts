import { sqlMigration } from '@pinkas/service-kit/schema';

/** PDFs may be in an object store, next to those that are in the database (ADR 0079). */
export const objectStore = sqlMigration(`
  alter table artifact alter column pdf drop not null;
  alter table artifact add column object_key text;
  comment on column artifact.object_key is 'Where the PDF is in the object store; null: it is in the row.';
  alter table artifact add constraint artifact_place_check check (num_nonnulls(pdf, object_key) = 1);

  -- A file moves between the row and the store, and is replaced by no other: what comes back has its hash (artifact_sha256_check).
  drop trigger artifact_content_is_final on artifact;
  create trigger artifact_content_is_final before update of business_id, document_id, revision, request_sha256, attempt, sha256,
    size_bytes, template_version, certificate_sha256, allocation_number, number_pending, report_cancelled, cancelled_at,
    cancel_reason, created_at, original on artifact
    for each row execute function reject_artifact_change();
  create trigger artifact_file_is_final before update of pdf, object_key on artifact
    for each row when (num_nonnulls(old.pdf, new.pdf) <> 1 or num_nonnulls(old.object_key, new.object_key) <> 1)
    execute function reject_artifact_change();

  create table removed_object (
    object_key text not null constraint removed_object_pkey primary key,
    removed_at timestamptz not null default clock_timestamp()
  );
  comment on table removed_object is
    'The files in the object store that no row names any more. They are deleted when no backup can bring their rows back.';
  create index removed_object_removed_idx on removed_object (removed_at);
  create function record_removed_object() returns trigger language plpgsql as $$
  begin
    insert into removed_object (object_key) values (old.object_key);
    return null;
  end $$;
  create trigger artifact_records_removed_object after delete on artifact
    for each row when (old.object_key is not null) execute function record_removed_object();
  create trigger artifact_records_moved_object after update of object_key on artifact
    for each row when (old.object_key is not null and new.object_key is null) execute function record_removed_object();

  create table object_comparison (
    one            boolean not null default true constraint object_comparison_pkey primary key,
    compared_until text not null,
    constraint object_comparison_one_check check (one)
  );
  comment on column object_comparison.compared_until is
    'The key, in the order of keys, up to which the files in the object store were compared with the rows.';
  insert into object_comparison values (true, '');
`);
