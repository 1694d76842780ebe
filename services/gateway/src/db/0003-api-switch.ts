import { sqlMigration } from '@pinkas/service-kit/schema';

/** Whether the interface serves at all: one row, for all gateways. */
export const apiSwitch = sqlMigration(`
  create table api_switch (
    only_row   boolean not null default true,
    enabled    boolean not null,
    changed_at timestamptz not null,
    constraint api_switch_pkey primary key (only_row),
    constraint api_switch_only_row_check check (only_row)
  );
  insert into api_switch (enabled, changed_at) values (true, now());
`);
