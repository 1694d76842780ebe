import { enableTenantIsolation, keepLiveRows, sqlMigration } from '@pinkas/service-kit/schema';

/** The files of statements that are sent by email, as they were when a person asked for it. */
export const statements = sqlMigration(`
  create table statement_file (
    business_id uuid not null,
    delivery_id uuid not null,
    pdf         bytea not null,
    constraint statement_file_pkey primary key (business_id, delivery_id),
    constraint statement_file_delivery_fkey foreign key (business_id, delivery_id) references delivery (business_id, id)
  );
  comment on table statement_file is 'The PDF that the message of a statement carries.';
  ${enableTenantIsolation('statement_file')}
  ${keepLiveRows('statement_file')}
`);
