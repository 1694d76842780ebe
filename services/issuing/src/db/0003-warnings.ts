import { sqlMigration } from '@pinkas/service-kit/schema';

/** What the answer that issued a document has warned of; documents of before have none. */
export const warnings = sqlMigration(`
  alter table document add column warnings jsonb;
  comment on column document.warnings is
    'What the response to the issue request warned of, by code; a replay warns of the same. Null: they were not stored.';
  create trigger document_warnings_are_final before update of warnings on document
    for each row execute function document_is_final();
`);
