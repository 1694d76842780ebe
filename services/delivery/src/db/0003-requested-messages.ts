import { sqlMigration } from '@pinkas/service-kit/schema';

/** Messages that a person asks for, beside the planned ones: several to one recipient. */
export const requestedMessages = sqlMigration(`
  alter table delivery add column requested boolean not null default false;
  comment on column delivery.requested is 'Whether a person asked for it, beside what was planned at issue.';
  create unique index delivery_planned_key on delivery (business_id, document_id, channel, purpose, recipient)
    where follows is null and not requested;
  drop index delivery_recipient_key;
  create index delivery_document_idx on delivery (business_id, document_id);
`);
