import { sqlMigration } from '@pinkas/service-kit/schema';

/** What a detailed VAT report states: its sums, and the sales that have no place in it. */
export const vatDetail = sqlMigration(`
  alter table export_job add column vat_detail json;
`);
