import { createTestBookFunction, keepLiveRows, sqlMigration } from '@pinkas/service-kit/schema';

/** Only a test book can be emptied; its series then begin again with 1. */
export const clearableTestBooks = sqlMigration(`
  ${createTestBookFunction}
  create or replace function document_is_final() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      if is_test_book(old.business_id) then
        return old;
      end if;
      raise exception 'an issued document cannot be deleted' using errcode = 'restrict_violation';
    end if;
    raise exception 'an issued document cannot be changed' using errcode = 'restrict_violation';
  end $$;

  create or replace function series_advances_by_one() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      if is_test_book(old.business_id) then
        return old;
      end if;
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

  ${keepLiveRows('book')}
  ${keepLiveRows('daily_count')}
`);
