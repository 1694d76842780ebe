import { sqlMigration } from '@pinkas/service-kit/schema';

/** How many attempts of a decision have certainly decided nothing: only behind another one may the authority have it from here. */
export const unsentDecisions = sqlMigration(`
  alter table decision add column unsent integer not null default 0;
  comment on column decision.unsent is
    'How many of its attempts have certainly decided nothing at the authority; each other one may have.';
`);
