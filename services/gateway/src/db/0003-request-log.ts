import { enableTenantIsolation, sqlMigration } from '@pinkas/service-kit/schema';

/**
 * The requests of keys, by day (UTC). The service's role may create no table, so a function creates the days that are needed and drops
 * those that are over. A partition has row-level security without a policy: its rows are seen through `request_log` alone.
 */
export const requestLog = sqlMigration(`
  create table request_log (
    business_id     uuid not null,
    at              timestamptz not null,
    id              uuid not null,
    request_id      uuid not null,
    key_id          uuid not null,
    method          text not null,
    route           text,
    status          smallint not null,
    code            text,
    idempotency_key text,
    replayed        boolean not null,
    document_id     uuid,
    duration_ms     integer not null,
    errors          json,
    body            json,
    body_truncated  boolean not null,
    constraint request_log_pkey primary key (business_id, at, id)
  ) partition by range (at);
  comment on column request_log.business_id is 'The id of the book.';
  comment on column request_log.request_id is 'A caller may give several requests the same.';
  comment on column request_log.body is 'Of a refused request, without secrets; what is personal is masked when it is read.';
  create index request_log_request_idx on request_log (request_id);
  create index request_log_key_idx on request_log (business_id, key_id, at, id);
  create index request_log_idempotency_idx on request_log (business_id, idempotency_key, at, id)
    where idempotency_key is not null;
  create index request_log_refused_idx on request_log (business_id, at, id) where status >= 400;
  ${enableTenantIsolation('request_log')}

  create table request_log_day (
    business_id uuid not null,
    day         date not null,
    requests    integer not null,
    bodies      integer not null,
    constraint request_log_day_pkey primary key (business_id, day)
  );
  comment on table request_log_day is 'How many requests a book had on a day (UTC), and how many of them with a body: what is above the limits is not kept.';
  ${enableTenantIsolation('request_log_day')}

  create function keep_request_log(days date[], oldest date) returns void
    language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '2s' as $$
  declare
    of_day date;
    partition_name text;
  begin
    -- Gateways that start together create what they both find missing one after the other.
    perform pg_advisory_xact_lock(hashtext('request_log'));
    foreach of_day in array days loop
      partition_name := 'request_log_' || to_char(of_day, 'YYYYMMDD');
      if to_regclass(partition_name) is null then
        execute format('create table %I partition of request_log for values from (%L) to (%L)',
          partition_name, of_day::timestamptz, (of_day + 1)::timestamptz);
        execute format('alter table %I enable row level security', partition_name);
        execute format('alter table %I force row level security', partition_name);
      end if;
    end loop;
    for partition_name in
      select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'request_log'::regclass and relname < 'request_log_' || to_char(oldest, 'YYYYMMDD')
    loop
      execute format('drop table %I', partition_name);
    end loop;
    delete from request_log_day where day < oldest;
  end $$;
`);
