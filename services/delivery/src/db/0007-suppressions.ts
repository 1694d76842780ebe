import { hideFromOthers, sqlMigration } from '@pinkas/service-kit/schema';

/** Addresses that a business does not write to any more. */
export const suppressions = sqlMigration(`
  create table suppression (
    business_id uuid not null,
    channel     text not null,
    address     text not null,
    reason      text not null,
    words       text,
    since       timestamptz not null,
    constraint suppression_pkey primary key (business_id, channel, address),
    constraint suppression_channel_check check (channel in ('email', 'whatsapp')),
    constraint suppression_reason_check check (reason in ('bounced', 'blocked'))
  );
  comment on column suppression.address is
    'A mail address in lower case with its domain in ASCII, or a phone number in E.164.';
  ${hideFromOthers('suppression')}
`);
