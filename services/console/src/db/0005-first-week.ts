import { enableTenantIsolation, sqlMigration } from '@pinkas/service-kit/schema';

/** First steps that were dismissed, links of invitations, and the accountant's files of two months. */
export const firstWeek = sqlMigration(`
  create table dismissed_steps (
    business_id  uuid not null,
    dismissed_by uuid not null,
    dismissed_at timestamptz not null,
    constraint dismissed_steps_pkey primary key (business_id),
    constraint dismissed_steps_person_fkey foreign key (dismissed_by) references person (id)
  );
  ${enableTenantIsolation('dismissed_steps')}

  alter table sign_in_link add column business_id uuid;
  comment on column sign_in_link.business_id is 'Of an invitation: the business that it is to; null: a link to sign in.';
  create index sign_in_link_invitation_idx on sign_in_link (business_id, person_id) where business_id is not null;
  ${enableTenantIsolation('sign_in_link')}

  alter table accountant_schedule
    add column months integer not null default 1,
    add constraint accountant_schedule_months_check check (months in (1, 2));
  alter table export_job drop constraint export_job_package_fkey;
  alter table accountant_package
    add column months integer not null default 1,
    add constraint accountant_package_months_check check (months in (1, 2)),
    drop constraint accountant_package_pkey,
    add constraint accountant_package_pkey primary key (business_id, month, months);
  alter table export_job
    add column package_months integer not null default 1,
    add constraint export_job_package_fkey foreign key (business_id, package_month, package_months)
      references accountant_package (business_id, month, months);
  alter table due_notice add column package_months integer not null default 1;
  comment on column accountant_schedule.months
    is 'One; or two, as VAT is reported in: January and February, and so on.';
  comment on column accountant_package.months is 'How many months the files are of.';
  comment on column export_job.package_months is 'How many months the accountant''s files are of.';
  comment on column due_notice.package_months is 'How many months the accountant''s files are of.';
`);
