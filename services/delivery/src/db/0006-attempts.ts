import { hideFromOthers, sqlMigration } from '@pinkas/service-kit/schema';

/** Every handing over to a provider, so that what left, and how often, can be proven from the tables. */
export const attempts = sqlMigration(`
  create table attempt (
    business_id uuid not null,
    delivery_id uuid not null,
    n           integer not null,
    started_at  timestamptz not null,
    ended_at    timestamptz,
    outcome     text,
    was_unknown boolean not null default false,
    words       text,
    provider_id text,
    constraint attempt_pkey primary key (business_id, delivery_id, n),
    constraint attempt_delivery_fkey foreign key (business_id, delivery_id) references delivery (business_id, id),
    constraint attempt_n_check check (n >= 1),
    constraint attempt_outcome_check check (outcome in ('accepted', 'temporary', 'permanent', 'unknown')),
    constraint attempt_ended_check check ((outcome is null) = (ended_at is null)),
    constraint attempt_unknown_check check (outcome is distinct from 'unknown' or was_unknown)
  );
  create unique index attempt_open_key on attempt (business_id, delivery_id) where outcome is null;
  comment on table attempt is
    'Written before a message is handed over, completed after. No second one begins while one is open.';
  comment on column attempt.was_unknown is
    'Whether it was ever unknown if the provider took it; stays, also when its answer was learned later.';
  ${hideFromOthers('attempt')}

  alter table delivery add column resends integer not null default 0;
  comment on column delivery.resends is 'How often an operator made it due again after it had failed.';
  comment on column delivery.attempts is 'The tries since it was last made due by an operator, also those that never came to a provider.';

  create index plan_document_idx on plan (document_id);
  create index delivery_failures_idx on delivery (failed_at, id) where state = 'failed';
`);
