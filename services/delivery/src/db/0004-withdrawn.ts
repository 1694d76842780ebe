import { hideFromOthers, sqlMigration } from '@pinkas/service-kit/schema';

/** Messages of a cancelled document that had not left. */
export const withdrawn = sqlMigration(`
  create table cancelled (
    business_id uuid not null,
    document_id uuid not null,
    noted_at    timestamptz not null,
    constraint cancelled_pkey primary key (business_id, document_id)
  );
  comment on table cancelled is 'The documents of which nothing is handed over any more.';
  ${hideFromOthers('cancelled')}

  alter table delivery add column withdrawn_at timestamptz;
  alter table delivery add column withdrawn_reason text;
  alter table delivery drop constraint delivery_state_check;
  alter table delivery add constraint delivery_state_check
    check (state in ('waiting', 'ready', 'sending', 'sent', 'failed', 'withdrawn'));
  alter table delivery add constraint delivery_withdrawn_check
    check ((state = 'withdrawn') = (withdrawn_at is not null)
      and (withdrawn_at is null) = (withdrawn_reason is null));
  comment on column delivery.state is
    'waiting: for the final PDF; sending: handed to the provider, or about to be, until claimed_until; withdrawn: never to be sent.';
`);
