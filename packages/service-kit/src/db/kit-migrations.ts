import { type Migrations, sqlMigration } from './sql-migration.js';
import { enableTenantIsolation } from './tenant-isolation.js';

/**
 * What operators, owners and callers have changed, in a chain for each business. The service's role may read the tables, and append by
 * the function alone. Its JSON is in the canonical form of RFC 8785: `hashOfEntry` makes the same.
 */
const audit = sqlMigration(`
  create table audit_chain (
    business_id uuid not null constraint audit_chain_pkey primary key,
    last_n      bigint not null,
    last_hash   bytea,
    changed_at  timestamptz not null
  );
  create table audit_entry (
    business_id uuid not null,
    n           bigint not null,
    at          timestamptz not null,
    action      text not null,
    subject     text not null,
    actor       text not null,
    request_id  text,
    before      json,
    after       json,
    hash        bytea not null,
    constraint audit_entry_pkey primary key (business_id, n)
  );
  create index audit_entry_subject_idx on audit_entry (business_id, subject, n);
  ${enableTenantIsolation('audit_chain')}
  ${enableTenantIsolation('audit_entry')}

  create function audit_append(
    of_business uuid, action text, subject text, actor text, request_id text, before text, after text
  ) returns void language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    chain audit_chain;
    appended_at timestamptz;
    entry_hash bytea;
  begin
    insert into audit_chain values (of_business, 0, null, clock_timestamp()) on conflict do nothing;
    select * into strict chain from audit_chain where business_id = of_business for update;
    appended_at := date_trunc('milliseconds', clock_timestamp());
    entry_hash := sha256(convert_to(
      '{"action":' || to_json(action)
      || ',"actor":' || to_json(actor)
      || ',"after":' || coalesce(after, 'null')
      || ',"at":"' || to_char(appended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      || '","before":' || coalesce(before, 'null')
      || ',"business_id":' || to_json(of_business::text)
      || ',"n":' || (chain.last_n + 1)
      || ',"previous":' || coalesce(to_json(encode(chain.last_hash, 'hex'))::text, 'null')
      || ',"request_id":' || coalesce(to_json(request_id)::text, 'null')
      || ',"subject":' || to_json(subject) || '}', 'UTF8'));
    insert into audit_entry values (of_business, chain.last_n + 1, appended_at, action, subject, actor, request_id,
      before::json, after::json, entry_hash);
    update audit_chain set last_n = chain.last_n + 1, last_hash = entry_hash, changed_at = appended_at
      where business_id = of_business;
  end $$;

  create function audit_is_append_only() returns trigger language plpgsql as $$
  begin
    raise exception 'the audit trail can only be appended to' using errcode = 'restrict_violation';
  end $$;
  create trigger audit_entry_is_append_only before update or delete on audit_entry
    for each row execute function audit_is_append_only();
  create trigger audit_entry_truncate_is_rejected before truncate on audit_entry
    for each statement execute function audit_is_append_only();
  create trigger audit_chain_is_append_only before delete on audit_chain
    for each row execute function audit_is_append_only();
  create trigger audit_chain_truncate_is_rejected before truncate on audit_chain
    for each statement execute function audit_is_append_only();

  -- The owner's default privileges have just granted them to the service's role, whose name depends on the installation.
  do $$
  declare grantee_name text;
  begin
    for grantee_name in
      select distinct pg_get_userbyid(acl.grantee) from pg_class, aclexplode(relacl) as acl
      where pg_class.oid in ('audit_entry'::regclass, 'audit_chain'::regclass)
        and acl.grantee <> 0 and acl.grantee <> relowner
    loop
      execute format('revoke insert, update, delete, truncate on audit_entry, audit_chain from %I', grantee_name);
    end loop;
  end $$;
`);

/** The kit's tables in the database of every service. They have their own ledger (`kit_migration`), so that a change of the kit is not a migration of each service. */
export const trailMigrations: Migrations = { '0002-audit': audit };

/** Those of a service that publishes or handles events. */
export const kitMigrations: Migrations = {
  '0001-messaging': sqlMigration(`
    create table outbox (
      position   bigint generated always as identity constraint outbox_pkey primary key,
      id         uuid not null constraint outbox_id_key unique,
      subject    text not null,
      body       json not null,
      request_id text,
      -- The instant of the row, not of its transaction: the reconciler judges the order of commits by it.
      created_at timestamptz not null default clock_timestamp(),
      sent_at    timestamptz,
      trace      json
    );
    create index outbox_unsent_idx on outbox (position) where sent_at is null;
    create index outbox_sent_idx on outbox (sent_at) where sent_at is not null;

    create table outbox_reader (
      consumer text not null constraint outbox_reader_pkey primary key,
      position bigint not null
    );
    comment on table outbox_reader is
      'How far the consumers of this service''s events have read its outbox, as their reconcilers report it.';

    create table inbox (
      consumer   text not null,
      message_id uuid not null,
      handled_at timestamptz not null default now(),
      constraint inbox_pkey primary key (consumer, message_id)
    );
    create index inbox_handled_idx on inbox (handled_at);

    create table dead_letter (
      id               uuid not null default gen_random_uuid() constraint dead_letter_pkey primary key,
      consumer         text not null,
      message_id       uuid not null,
      subject          text not null,
      body             text not null,
      request_id       text,
      trace            json,
      reason           text not null,
      attempts         integer not null,
      dead_lettered_at timestamptz not null default now(),
      constraint dead_letter_event_key unique (consumer, message_id)
    );

    create table reconcile_checkpoint (
      consumer      text not null constraint reconcile_checkpoint_pkey primary key,
      position      bigint not null,
      claimed_until timestamptz not null
    );
    comment on column reconcile_checkpoint.claimed_until is
      'Until when no replica but the one that claimed it compares the consumer.';

    create table due_event (
      consumer        text not null,
      message_id      uuid not null,
      subject         text not null,
      body            text not null,
      request_id      text,
      trace           json,
      reason          text,
      attempts        integer not null,
      first_due_at    timestamptz not null default now(),
      next_attempt_at timestamptz not null,
      claimed_until   timestamptz,
      constraint due_event_pkey primary key (consumer, message_id)
    );
    create index due_event_next_idx on due_event (next_attempt_at);
    comment on table due_event is
      'Events whose first attempt failed, or that a reconciler found missing, until they are handled or dead-lettered.';
    comment on column due_event.reason is 'Why the last attempt failed; null: none was made.';
  `),
  ...trailMigrations,
};
