import { sqlMigration } from '@pinkas/service-kit/schema';

/** What is printed on a document whose request has no notes. */
export const defaultNotes = sqlMigration(`
  alter table business add column default_notes text;
`);
