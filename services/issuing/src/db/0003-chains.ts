import { sqlMigration } from '@pinkas/service-kit/schema';

/** The chain of each series, and the trail of what changes after the issue. */
export const chains = sqlMigration(`
  alter table document add column hash bytea not null;
  alter table series add column last_hash bytea;
  comment on column document.hash is
    'SHA-256 over the facts of the document and the hash of the one before it in its series.';
  comment on column series.last_hash is 'The hash of the last document; null before the first.';

  create or replace trigger document_is_final before delete or update of business_id, id, public_id, type, number, position, dated_on,
    due_on, issued_at, external_ref, idempotency_key, body_sha256, key_id, business, customer_id, customer, items,
    prices_include_vat, discount_rule, payments, subtotal, discount, vat, vat_rate, total, source_id, source, title,
    notes, send, artifact_sha256, hash on document
    for each row execute function document_is_final();

  create or replace function series_advances_by_one() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      raise exception 'a series cannot be deleted' using errcode = 'restrict_violation';
    end if;
    if new.first_number <> old.first_number or new.next_number <= old.next_number or new.last_date < old.last_date or new.last_issued_at < old.last_issued_at then
      raise exception 'a series keeps its first number, advances by one number for each document, and its last date and instant never decrease'
        using errcode = 'restrict_violation';
    end if;
    if new.last_hash is null or new.last_hash is not distinct from old.last_hash then
      raise exception 'a series continues its chain with each document' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;

  -- The state of a document in the canonical form of RFC 8785; texts and null alone, so that its numbers need no canonical form.
  create function document_state(of_document document) returns text language sql stable as $$
    select '{"allocation_number":' || coalesce(to_json(of_document.allocation_number)::text, 'null')
      || ',"cancel_reason":' || coalesce(to_json(of_document.cancel_reason)::text, 'null')
      || ',"cancelled_at":' || coalesce(
        '"' || to_char(of_document.cancelled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null')
      || ',"paid":"' || of_document.paid || '","status":"' || of_document.status || '"}'
  $$;

  -- A trigger, so that no code path can leave a change out.
  create function document_change_is_recorded() returns trigger language plpgsql as $$
  begin
    perform audit_append(new.business_id, 'document.state', new.id::text,
      coalesce(nullif(current_setting('pinkas.actor', true), ''), 'role:' || current_user),
      nullif(current_setting('pinkas.request_id', true), ''), document_state(old), document_state(new));
    return null;
  end $$;
  create trigger document_change_is_recorded
    after update of status, paid, cancelled_at, cancel_reason, allocation_number on document
    for each row when (
      old.status is distinct from new.status or old.paid is distinct from new.paid
      or old.cancelled_at is distinct from new.cancelled_at or old.cancel_reason is distinct from new.cancel_reason
      or old.allocation_number is distinct from new.allocation_number
    ) execute function document_change_is_recorded();
`);
