import { sqlMigration } from '@pinkas/service-kit/schema';

/** One transaction issues several documents of a series: it advances by one number for each of them. */
export const seriesAdvanceWithTheirDocuments = sqlMigration(`
  create or replace function series_advances_by_one() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      raise exception 'a series cannot be deleted' using errcode = 'restrict_violation';
    end if;
    if new.first_number <> old.first_number or new.next_number <= old.next_number or new.last_date < old.last_date or new.last_issued_at < old.last_issued_at then
      raise exception 'a series keeps its first number, advances by one number for each document, and its last date and instant never decrease'
        using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;

  create function series_advances_with_its_documents() returns trigger language plpgsql as $$
  begin
    if new.next_number - old.next_number <> (
      select count(*) from document
      where business_id = new.business_id and type = new.type
        and number >= old.next_number and number < new.next_number
    ) then
      raise exception 'a series advances by one number for each document' using errcode = 'restrict_violation';
    end if;
    return null;
  end $$;
  -- After the statement, which inserts the documents as well.
  create trigger series_advances_with_its_documents after update on series
    for each row execute function series_advances_with_its_documents();
`);
