import { enableTenantIsolation, sqlMigration } from '@pinkas/service-kit/schema';

/** The transmissions of files of the uniform structure to the tax authority. */
export const transmission = sqlMigration(`
  create table transmission (
    business_id     uuid not null,
    -- The file that is transmitted.
    export_id       uuid not null,
    -- Of a person who may no longer be here; the trail names them as well.
    person_id       uuid not null,
    state           text not null default 'queued',
    requested_at    timestamptz not null,
    next_attempt_at timestamptz,
    attempts        integer not null default 0,
    claimed_until   timestamptz,
    claim_id        uuid,
    -- The authority's ids and addresses, and what has arrived there; null: nothing was begun.
    progress        json,
    sent_bytes      bigint not null default 0,
    uploaded_at     timestamptz,
    failure         text,
    error           text,
    ended_at        timestamptz,
    request_id      text,
    trace           json,
    constraint transmission_pkey primary key (business_id, export_id),
    constraint transmission_job_fkey foreign key (business_id, export_id) references export_job (business_id, id),
    constraint transmission_state_check
      check (state in ('queued', 'running', 'approved', 'rejected', 'not_required', 'undecided', 'failed')),
    constraint transmission_claim_check check ((claimed_until is not null) = (state = 'running')),
    constraint transmission_due_check check ((next_attempt_at is not null) = (state in ('queued', 'running'))),
    constraint transmission_failure_check check ((failure is not null) = (state = 'failed'))
  );
  create index transmission_due_idx on transmission (next_attempt_at) where state in ('queued', 'running');
  ${enableTenantIsolation('transmission')}
`);
