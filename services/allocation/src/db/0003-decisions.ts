import { enableTenantIsolation, keepLiveRows, sqlMigration } from '@pinkas/service-kit/schema';

/** Numbers that a person has typed in, and what owners decide about refusals. */
export const decisions = sqlMigration(`
  alter table allocation add column entered_at timestamptz;
  alter table allocation add column entered_by text;
  alter table allocation add constraint allocation_entered_check
    check ((entered_at is null) = (entered_by is null) and (entered_at is null or state = 'issued'));
  comment on column allocation.entered_at is
    'When a person typed the number in; then confirmation_number is the number as well, since no more of it is known.';
  create index allocation_number_idx on allocation (business_id, number) where number is not null;

  create table decision (
    business_id      uuid not null,
    document_id      uuid not null,
    n                integer not null,
    decision         text not null,
    state            text not null,
    decided_at       timestamptz not null,
    actor            text not null,
    request_id       text,
    trace            json,
    attempts         integer not null default 0,
    next_attempt_at  timestamptz,
    claimed_until    timestamptz,
    ended_at         timestamptz,
    reason           text,
    answer           text,
    constraint decision_pkey primary key (business_id, document_id, n),
    constraint decision_allocation_fkey foreign key (business_id, document_id)
      references allocation (business_id, document_id),
    constraint decision_n_check check (n >= 1),
    constraint decision_decision_check check (decision in ('continue', 'cancel', 'object', 'reverse_charge')),
    constraint decision_state_check check (state in ('pending', 'taken', 'failed')),
    constraint decision_pending_check check ((state = 'pending') = (next_attempt_at is not null)
      and (state = 'pending') = (ended_at is null)),
    constraint decision_attempts_check check (attempts >= 0)
  );
  create unique index decision_pending_key on decision (business_id, document_id) where state = 'pending';
  create index decision_due_idx on decision (next_attempt_at) where state = 'pending';
  comment on table decision is
    'What an owner has decided about a refused number; stored before it is sent to the authority, and completed once.';
  comment on column decision.state is 'failed: the authority did not take it, and nothing is decided.';
  comment on column decision.answer is 'The body of the authority''s last response.';
  ${enableTenantIsolation('decision')}
  create function decision_is_final() returns trigger language plpgsql as $$
  begin
    raise exception 'a decision that has ended is final' using errcode = 'restrict_violation';
  end $$;
  create trigger decision_is_final before update on decision
    for each row when (old.ended_at is not null) execute function decision_is_final();
  ${keepLiveRows('decision')}
`);
