import { sqlMigration } from '@pinkas/service-kit/schema';

/** What a run of the uniform structure wrote, which a page shows, and the drive that it is for. */
export const runReport = sqlMigration(`
  alter table export_job add column drive text;
  alter table export_job add column run_report json;
  alter table export_job add constraint export_job_drive_check
    check (drive is null or (format = 'uniform' and drive ~ '^[A-Z]$'));
  comment on column export_job.drive is 'The letter of the drive that a person chose for the uniform structure.';
`);
