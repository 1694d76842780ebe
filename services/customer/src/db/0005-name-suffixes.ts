import { hideFromOthers, sqlMigration } from '@pinkas/service-kit/schema';

/**
 * What names are searched by, and the index that they are listed in the order of: see docs/adr/0009-customer-search.md.
 * Triggers write the suffixes, so that no code can make a customer who is not found.
 */
export const nameSuffixes = sqlMigration(`
  create table card_name_suffix (
    business_id uuid not null,
    suffix      text collate "C" not null,
    card_id     uuid not null,
    constraint card_name_suffix_pkey primary key (business_id, suffix, card_id)
  );
  ${hideFromOthers('card_name_suffix')}

  comment on table card_name_suffix is
    'Each place in a customer''s folded name where a text may begin, with the 32 characters from there on.';

  create function write_name_suffixes() returns trigger language plpgsql as $$
  begin
    -- No text that is searched for begins with a space.
    insert into card_name_suffix (business_id, suffix, card_id)
      select distinct new.business_id, substr(new.name_key, start, 32), new.id
        from generate_series(1, length(new.name_key)) as start
       where substr(new.name_key, start, 1) <> ' ';
    return null;
  end $$;

  create trigger card_made_customer_insert after insert on card
    for each row when (new.confirmed_at is not null) execute function write_name_suffixes();
  create trigger card_made_customer_update after update on card
    for each row when (old.confirmed_at is null and new.confirmed_at is not null)
    execute function write_name_suffixes();

  insert into card_name_suffix (business_id, suffix, card_id)
    select distinct business_id, substr(name_key, start, 32), id
      from card, generate_series(1, length(name_key)) as start
     where confirmed_at is not null and substr(name_key, start, 1) <> ' ';

  create index card_name_order_idx on card (business_id, name_key collate "C", id) where confirmed_at is not null;
`);
