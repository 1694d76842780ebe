import { sqlMigration } from '@pinkas/service-kit/schema';

/** Payment terms of a customer, and names that a person has changed; a release that knows neither leaves both as they are. */
export const termsAndNames = sqlMigration(`
  alter table card add column payment_terms jsonb;
  alter table card add column former_name_keys text[] not null default '{}';
  comment on column card.payment_terms is 'Null: those of the business.';
  comment on column card.former_name_keys is
    'Folded names that it had before: a request that names one of them finds this card, unless another card has the name now.';
  create index card_former_names_idx on card (business_id) where former_name_keys <> '{}';

  create function rewrite_name_suffixes() returns trigger language plpgsql as $$
  begin
    delete from card_name_suffix where business_id = old.business_id and card_id = old.id;
    insert into card_name_suffix (business_id, suffix, card_id)
      select distinct new.business_id, substr(new.name_key, start, 32), new.id
        from generate_series(1, length(new.name_key)) as start
       where substr(new.name_key, start, 1) <> ' ';
    return null;
  end $$;
  create trigger card_renamed after update of name_key on card
    for each row when (old.confirmed_at is not null and old.name_key <> new.name_key)
    execute function rewrite_name_suffixes();
`);
