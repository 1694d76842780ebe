import { sqlMigration } from '@pinkas/service-kit/schema';

/** The threshold of allocation numbers that the authority names, by day: of every business. */
export const threshold = sqlMigration(`
  create table threshold_answer (
    day date primary key,
    asked_at timestamptz not null,
    net numeric(11, 2)
  );
  comment on column threshold_answer.asked_at is 'The last attempt of the day, which keeps other replicas from another.';
  comment on column threshold_answer.net is 'ILS; null: the authority has not named it on that day.';
`);
