import { enableTenantIsolation, sqlMigration } from '@pinkas/service-kit/schema';

/** The daily check of each book. */
export const bookCheck = sqlMigration(`
  create table book_check (
    business_id      uuid not null constraint book_check_pkey primary key,
    due_at           timestamptz not null,
    claimed_until    timestamptz,
    round_began_at   timestamptz,
    mark             json,
    round_documents  integer not null default 0,
    round_findings   json,
    completed_at     timestamptz,
    completed_since  timestamptz,
    documents        integer not null default 0,
    findings         json,
    failed_at        timestamptz,
    constraint book_check_completed_check check ((completed_at is null) = (completed_since is null)),
    constraint book_check_mark_check check (mark is null or round_began_at is not null)
  );
  comment on column book_check.mark is 'Where the next part of the round begins; null: at the first document.';
  comment on column book_check.round_findings is 'What the parts of the round have found so far.';
  comment on column book_check.completed_since is 'When the round that was completed last began.';
  comment on column book_check.documents is 'How many documents that round has checked.';
  comment on column book_check.findings is 'What it has found.';
  comment on column book_check.failed_at is 'When an attempt failed that no completed round follows; null: none did.';
  create index book_check_due_idx on book_check (due_at);
  ${enableTenantIsolation('book_check')}
`);
