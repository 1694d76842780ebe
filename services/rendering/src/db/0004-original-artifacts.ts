import { sqlMigration } from '@pinkas/service-kit/schema';

/** Whether a revision says 'original', as it was made. */
export const originalArtifacts = sqlMigration(`
  alter table artifact add column original boolean not null;
  comment on column artifact.original is 'Whether it says that it is the original.';
  drop trigger artifact_content_is_final on artifact;
  create trigger artifact_content_is_final before update of business_id, document_id, revision, request_sha256, sha256, pdf,
    size_bytes, template_version, certificate_sha256, allocation_number, number_pending, cancelled_at, cancel_reason,
    created_at, original on artifact
    for each row execute function reject_artifact_change();
`);
