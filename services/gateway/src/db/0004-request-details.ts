import { sqlMigration } from '@pinkas/service-kit/schema';

/** What the hint of an error refers to, such as the computed total. */
export const requestDetails = sqlMigration(`
  alter table request_log add column details json;
  comment on column request_log.details is 'The members of error.details of a refused request, without the errors of a validation_error, which have a column.';
`);
