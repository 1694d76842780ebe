import { enableTenantIsolation, sqlMigration } from '@pinkas/service-kit/schema';

/** Rows of *Needs attention* that a person has dismissed. */
export const dismissedRow = sqlMigration(`
  create table dismissed_row (
    business_id  uuid not null,
    row_hash     text not null,
    dismissed_by uuid not null,
    dismissed_at timestamptz not null,
    constraint dismissed_row_pkey primary key (business_id, row_hash),
    constraint dismissed_row_person_fkey foreign key (dismissed_by) references person (id),
    constraint dismissed_row_hash_check check (octet_length(row_hash) <= 64)
  );
  comment on column dismissed_row.row_hash is 'Of what the row is about and when that happened, or how much it came to.';
  ${enableTenantIsolation('dismissed_row')}
`);
