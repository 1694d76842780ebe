import { sqlMigration } from '@pinkas/service-kit/schema';

/** A statement is no document of the law: some days after its message has ended its hash remains, and its bytes go. */
export const statementHashes = sqlMigration(`
  alter table statement_file
    add column sha256 bytea,
    alter column pdf drop not null,
    add constraint statement_file_pdf_check check (pdf is not null or sha256 is not null);
  comment on column statement_file.sha256 is 'Of the file, once its bytes are gone.';
  create index statement_file_kept_idx on statement_file (business_id, delivery_id) where pdf is not null;
`);
