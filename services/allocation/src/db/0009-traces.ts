import { sqlMigration } from '@pinkas/service-kit/schema';

/** Keeps the trace of a document with what is still to be done for it, so that it is one trace although a number comes late. */
export const traces = sqlMigration(`
  alter table allocation add column trace json;
`);
