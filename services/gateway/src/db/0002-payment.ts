import { sqlMigration } from '@pinkas/service-kit/schema';

/** How customers of a business pay, and from when its payment terms count; a release that knows neither leaves both as they are. */
export const payment = sqlMigration(`
  alter table business add column payment_instructions jsonb;
  alter table business add column payment_terms_from text;
  comment on column business.payment_instructions is 'Stated on documents that ask for money. Null: not stated.';
  comment on column business.payment_terms_from is 'Null: from the date of the document.';
  alter table business add constraint business_payment_terms_from_check
    check (payment_terms_from in ('date', 'end_of_month'));
`);
