import {
  createTestBookFunction,
  enableTenantIsolation,
  keepLiveRows,
  sqlMigration,
} from '@pinkas/service-kit/schema';

/**
 * Customer cards, what documents in flight reserve, and the suffixes that names are searched by
 * (docs/adr/0009-customer-search.md). Triggers write the suffixes, so that no code can make an unsearchable customer.
 */
export const initial = sqlMigration(`
  create table card (
    business_id   uuid not null,
    id            uuid not null,
    name          text not null,
    name_key      text not null,
    tax_id        text,
    legal_type    text,
    email         text,
    phone         text,
    address       text,
    city          text,
    created_at    timestamptz not null,
    confirmed_at  timestamptz,
    claimed_until timestamptz,
    removed_details text[] not null default '{}',
    email_key     text,
    phone_key     text,
    constraint card_pkey primary key (business_id, id),
    constraint card_name_key unique (business_id, name_key),
    constraint card_tax_id_check check (tax_id ~ '^[0-9]{9}$'),
    constraint card_legal_type_check check (legal_type in
      ('hevra_baam', 'osek_murshe', 'osek_patur', 'amuta', 'private')),
    constraint card_claimed_check check ((confirmed_at is null) = (claimed_until is not null)),
    constraint card_reserved_check check (confirmed_at is not null
      or coalesce(tax_id, legal_type, email, phone, address, city) is null)
  );
  create index card_tax_id_idx on card (business_id, tax_id, created_at) where tax_id is not null;
  create index card_reserved_idx on card (claimed_until) where confirmed_at is null;
  create index card_name_order_idx on card (business_id, name_key collate "C", id) where confirmed_at is not null;
  create index card_email_idx on card (business_id, email_key) where email_key is not null;
  create index card_phone_idx on card (business_id, phone_key) where phone_key is not null;
  comment on column card.email_key is 'What addresses are searched by: in lower case.';
  comment on column card.phone_key is 'What phone numbers are searched by: digits, without the code of the country and zeros before.';
  comment on column card.confirmed_at is
    'Null: the card is only reserved by a request in flight, has nothing but its name, and is no customer yet.';
  comment on column card.tax_id is 'Nine digits with leading zeros.';
  comment on column card.removed_details is
    'Details that a person has removed, however often documents have filled them since.';
  ${enableTenantIsolation('card')}

  create table reservation (
    business_id    uuid not null,
    document_id    uuid not null,
    card_id        uuid not null,
    tax_id         text,
    reserved_until timestamptz not null,
    constraint reservation_pkey primary key (business_id, document_id),
    constraint reservation_card_fkey foreign key (business_id, card_id) references card (business_id, id),
    constraint reservation_tax_id_check check (tax_id ~ '^[0-9]{9}$')
  );
  create index reservation_card_idx on reservation (business_id, card_id);
  create index reservation_tax_id_idx on reservation (business_id, tax_id) where tax_id is not null;
  create index reservation_until_idx on reservation (reserved_until);
  comment on table reservation is 'The card, and the tax id to be written on it, of a document that is being issued.';
  comment on column reservation.tax_id is 'Nine digits; null: the document writes none on the card.';
  ${enableTenantIsolation('reservation')}

  create table card_name_suffix (
    business_id uuid not null,
    suffix      text collate "C" not null,
    card_id     uuid not null,
    constraint card_name_suffix_pkey primary key (business_id, suffix, card_id)
  );
  comment on table card_name_suffix is
    'Each position in a customer''s folded name where a search text may begin, with the 32 characters from there on.';
  ${enableTenantIsolation('card_name_suffix')}

  create function write_name_suffixes() returns trigger language plpgsql as $$
  begin
    -- No search text begins with a space.
    insert into card_name_suffix (business_id, suffix, card_id)
      select distinct new.business_id, substr(new.name_key, start, 32), new.id
        from generate_series(1, length(new.name_key)) as start
       where substr(new.name_key, start, 1) <> ' ';
    return null;
  end $$;
  create function phone_key(phone text) returns text language sql immutable as $$
    select nullif(regexp_replace(regexp_replace(phone, '\\D', '', 'g'), '^(00)?(972)?0*', ''), '')
  $$;
  create function write_contact_keys() returns trigger language plpgsql as $$
  begin
    new.email_key := lower(new.email);
    new.phone_key := phone_key(new.phone);
    return new;
  end $$;
  create trigger card_contact_keys before insert or update of email, phone on card
    for each row execute function write_contact_keys();
  create trigger card_confirmed_insert after insert on card
    for each row when (new.confirmed_at is not null) execute function write_name_suffixes();
  create trigger card_confirmed_update after update on card
    for each row when (old.confirmed_at is null and new.confirmed_at is not null)
    execute function write_name_suffixes();

  -- Only a test book can be emptied; what a request has reserved may be deleted from every book.
  ${createTestBookFunction}
  ${keepLiveRows('card', 'old.confirmed_at is null')}
`);
