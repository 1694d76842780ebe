import { sqlMigration } from '@pinkas/service-kit/schema';

/** PDFs are found by their hash, and the last signed end of a chain has its instant. */
export const findByHash = sqlMigration(`
  create index artifact_sha256_idx on artifact using hash (sha256);
  alter table stated_head add column stated_at timestamptz;
  comment on column stated_head.stated_at is 'When that end was signed; null: an earlier release has signed it.';
`);
