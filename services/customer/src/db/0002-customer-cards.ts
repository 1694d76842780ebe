import { sqlMigration } from '@pinkas/service-kit/schema';

/** The cards, and the tax ids that requests in flight are about to write on one. */
export const customerCards = sqlMigration(`
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

  comment on column card.confirmed_at is
    'Null: the card is only reserved by a request in flight, bears nothing but its name, and is no customer yet.';
  comment on column card.tax_id is 'Nine digits, leading zeros kept.';

  create table tax_id_claim (
    business_id   uuid not null,
    tax_id        text not null,
    card_id       uuid not null,
    claimed_until timestamptz not null,
    constraint tax_id_claim_pkey primary key (business_id, tax_id),
    constraint tax_id_claim_tax_id_check check (tax_id ~ '^[0-9]{9}$')
  );
  create index tax_id_claim_until_idx on tax_id_claim (claimed_until);

  comment on table tax_id_claim is
    'The card that a request in flight will write the tax id on, so that two of them do not open two cards for it.';
`);
