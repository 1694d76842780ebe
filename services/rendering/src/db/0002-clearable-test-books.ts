import { createTestBookFunction, keepLiveRows, sqlMigration } from '@pinkas/service-kit/schema';

/** Only a test book can be emptied. */
export const clearableTestBooks = sqlMigration(`
  ${createTestBookFunction}
  create or replace function check_artifact_state() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      if old.confirmed_at is not null and not is_test_book(old.business_id) then
        raise exception 'a confirmed artifact is never deleted' using errcode = 'restrict_violation';
      end if;
      return old;
    end if;
    if old.confirmed_at is not null and new.confirmed_at is distinct from old.confirmed_at
      or old.published_at is not null and new.published_at is distinct from old.published_at
    then
      raise exception 'an artifact is final' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;

  ${keepLiveRows('artifact_release')}
  ${keepLiveRows('logo')}
`);
