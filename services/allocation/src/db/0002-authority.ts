import { sqlMigration } from '@pinkas/service-kit/schema';

/** The request as it was sent, who issues, and what an attempt that cannot succeed now waits for. */
export const authority = sqlMigration(`
  alter table allocation
    add column request text,
    add column awaiting_operator boolean not null default false,
    add column is_final boolean not null default false;
  comment on column allocation.request is
    'The body as it was sent, which a repetition sends again; null before the first request, and after one that certainly brought nothing.';
  comment on column allocation.awaiting_operator is
    'The authority does not accept the application, or it is at another address: the operator has to correct that.';
  comment on column allocation.is_final is 'No attempt can ever bring a number.';
  create index allocation_awaiting_operator_idx on allocation (kind) where awaiting_operator;

  alter table connection
    add column user_id text,
    add column user_name text,
    add constraint connection_user_check check (user_id is null or user_name is null);
  comment on column connection.user_name is
    'Of the person who logged in, as requests name who issues; this or user_id.';
  alter table connection_request
    add column user_id text,
    add column user_name text;

  -- Whether the authority numbers reports over all institutions is not published.
  alter table donation_report
    add column request text,
    drop constraint donation_report_number_key,
    add constraint donation_report_number_key unique (business_id, number);
  comment on column donation_report.request is 'The body as it was sent; null: it has not arrived.';
`);
