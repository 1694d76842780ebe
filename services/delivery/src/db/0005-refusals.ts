import { sqlMigration } from '@pinkas/service-kit/schema';

/** What a mail server's refusal of a recipient is evidence of. */
export const refusals = sqlMigration(`
  alter table attempt add column failure text, add column server text;
  alter table attempt add constraint attempt_failure_check
    check (failure is null or failure in ('unknown_address', 'access_denied', 'relay_denied') and outcome <> 'accepted');
  create index attempt_accepted_idx on attempt (ended_at) where outcome = 'accepted';
  create index attempt_failure_idx on attempt (ended_at) where failure is not null;
  comment on column attempt.failure is
    'What the provider refused: the recipient as unknown, our account, or the recipient with words about the sender, the relay or access.';
  comment on column attempt.server is 'The mail server that answered; null: of another channel, a test book, or from before it was kept.';

  alter table suppression add column confirmed boolean not null default false;
  comment on column suppression.confirmed is
    'Whether the mail server took messages for others between two refusals of this address.';
`);
