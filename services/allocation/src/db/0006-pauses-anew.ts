import { sqlMigration } from '@pinkas/service-kit/schema';

/** The pauses between tries are counted from where the day of tries began, so that they begin anew with it. */
export const pausesAnew = sqlMigration(`
  alter table allocation
    add column earlier_attempts integer not null default 0,
    add constraint allocation_earlier_attempts_check check (earlier_attempts between 0 and attempts);

  comment on column allocation.earlier_attempts is
    'How many of the attempts were made before the day of tries began anew: by an operator, or a new connection.';
`);
