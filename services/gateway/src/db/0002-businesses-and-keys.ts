import { sqlMigration } from '@pinkas/service-kit/schema';

/** Who may issue, with which settings, and the keys that speak for them. A key is found by its hash alone. */
export const businessesAndKeys = sqlMigration(`
  create table business (
    id                       uuid not null,
    name                     text not null,
    legal_type               text,
    tax_id                   text,
    address                  text,
    city                     text,
    email                    text,
    phone                    text,
    vat_rate                 numeric(4, 2) not null,
    prices_include_vat       boolean not null,
    payment_terms_days       integer not null,
    first_numbers            jsonb not null,
    allocation_threshold_net numeric(11, 2) not null,
    tax_authority_connected  boolean not null,
    auto_send                jsonb not null,
    accountant_copy          jsonb not null,
    wallet_labels            jsonb not null,
    language                 text not null,
    subscription             text not null,
    archived                 boolean not null,
    provider                 text not null,
    track                    text not null,
    created_at               timestamptz not null,
    updated_at               timestamptz not null,
    constraint business_pkey primary key (id),
    constraint business_tax_id_check check (tax_id ~ '^[0-9]{9}$'),
    constraint business_vat_rate_check check (vat_rate >= 0),
    constraint business_payment_terms_days_check check (payment_terms_days >= 0)
  );
  create index business_created_idx on business (created_at, id);

  create table api_key (
    business_id     uuid not null,
    id              uuid not null,
    name            text not null,
    prefix          text not null,
    hash            bytea not null,
    scopes          text[] not null,
    per_minute      integer not null,
    daily_documents integer not null,
    created_at      timestamptz not null,
    revoked_at      timestamptz,
    constraint api_key_pkey primary key (business_id, id),
    constraint api_key_id_key unique (id),
    constraint api_key_hash_key unique (hash),
    constraint api_key_hash_check check (octet_length(hash) = 32),
    constraint api_key_business_fkey foreign key (business_id) references business (id)
  );
`);
