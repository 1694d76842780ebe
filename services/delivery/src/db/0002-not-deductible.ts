import { sqlMigration } from '@pinkas/service-kit/schema';

/**
 * The news that no input VAT is deducted by an invoice. A follow-up brings it as one brings the news that the report of a donation was
 * cancelled, under the same key: no document has both.
 */
export const notDeductible = sqlMigration(`
  alter table document add column not_deductible boolean not null default false;
  alter table attempt add column not_deductible boolean not null default false;
  comment on column document.not_deductible is
    'Whether its final PDF states that no input VAT is deducted by it; a number that comes later makes that out of date.';
  comment on column attempt.not_deductible is 'Whether its PDF states that no input VAT is deducted by it.';
  comment on column delivery.report_cancelled is
    'Whether it follows with news, and not with a number: that the report of its donation was cancelled, or that no input VAT is deducted by its invoice.';
`);
