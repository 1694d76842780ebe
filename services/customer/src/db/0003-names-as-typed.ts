import { sqlMigration } from '@pinkas/service-kit/schema';

/** Points of vowels and of accents, and the signs of abbreviation, apostrophes, quotation marks and hyphens that keyboards have. */
const points = String.fromCodePoint(
  ...Array.from({ length: 0x05c7 - 0x0591 + 1 }, (_, n) => 0x0591 + n).filter(
    (point) => ![0x05be, 0x05c0, 0x05c3, 0x05c6].includes(point),
  ),
);
const signs = `\u05f3\u05f4"''\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2032\u2033\u0060\u00b4\u02bc\uff02\uff07`;
const hyphens = '\u002d\u05be\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d';

/**
 * Names are searched as people type them (`namesAsTyped` of the domain): without signs and points, and with hyphens left out or as
 * blanks. The release before searches the folded name itself, whose suffixes stay.
 */
export const namesAsTyped = sqlMigration(`
  create function name_joined(name_key text) returns text language sql immutable parallel safe
    return btrim(regexp_replace(translate(name_key, '${points}${signs}${hyphens}', ''), ' +', ' ', 'g'));
  create function name_spaced(name_key text) returns text language sql immutable parallel safe
    return btrim(regexp_replace(translate(
      translate(name_key, '${points}${signs}', ''), '${hyphens}', '${' '.repeat(hyphens.length)}'), ' +', ' ', 'g'));
  comment on function name_joined is 'A folded name without signs, points and hyphens, as many people type it.';
  comment on function name_spaced is 'A folded name without signs and points, and with blanks for hyphens.';

  create or replace function write_name_suffixes() returns trigger language plpgsql as $$
  begin
    -- No search text begins with a space.
    insert into card_name_suffix (business_id, suffix, card_id)
      select distinct new.business_id, substr(form, start, 32), new.id
        from unnest(array[new.name_key, name_joined(new.name_key), name_spaced(new.name_key)]) as form,
          generate_series(1, length(form)) as start
       where substr(form, start, 1) <> ' ';
    return null;
  end $$;
  create or replace function rewrite_name_suffixes() returns trigger language plpgsql as $$
  begin
    delete from card_name_suffix where business_id = old.business_id and card_id = old.id;
    insert into card_name_suffix (business_id, suffix, card_id)
      select distinct new.business_id, substr(form, start, 32), new.id
        from unnest(array[new.name_key, name_joined(new.name_key), name_spaced(new.name_key)]) as form,
          generate_series(1, length(form)) as start
       where substr(form, start, 1) <> ' ';
    return null;
  end $$;

  insert into card_name_suffix (business_id, suffix, card_id)
    select distinct business_id, substr(form, start, 32), id
      from card, unnest(array[name_joined(name_key), name_spaced(name_key)]) as form,
        generate_series(1, length(form)) as start
     where confirmed_at is not null and (name_joined(name_key) <> name_key or name_spaced(name_key) <> name_key)
       and substr(form, start, 1) <> ' '
  on conflict do nothing;
  comment on table card_name_suffix is
    'Each position in a customer''s folded name, with and without its signs, where a search text may begin, with the 32 characters from there on.';
`);
