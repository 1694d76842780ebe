import { sqlMigration } from '@pinkas/service-kit/schema';

/** A key leads to the live book of its business or to the test book, whose id has another version (ADR 0051). */
export const testKeys = sqlMigration(`
  alter table api_key add column mode text not null default 'live';
  alter table api_key add constraint api_key_mode_check check (mode in ('live', 'test'));
  -- The id of a test book is that of its business with the version 8.
  alter table business add constraint business_id_check check (substr(id::text, 15, 1) <> '8');
`);
