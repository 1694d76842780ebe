import { enableTenantIsolation, sqlMigration } from '@pinkas/service-kit/schema';

/** Businesses with their settings, the API keys that identify their callers, and the kill switch. */
export const initial = sqlMigration(`
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
    allocation_hold_minutes  integer not null,
    auto_send                jsonb not null,
    accountant_copy          jsonb not null,
    wallet_labels            jsonb not null,
    language                 text not null,
    subscription             text not null,
    archived                 boolean not null,
    provider                 text not null,
    track                    text not null,
    accent_color             text,
    -- Rendering stores the logo itself.
    logo_sha256              text,
    donation_approval        jsonb,
    quote_valid_days         integer,
    delivery_notes_without_prices boolean not null,
    mail_from                text,
    created_at               timestamptz not null,
    updated_at               timestamptz not null,
    -- Printed on a document whose request has no notes.
    default_notes            text,
    -- Whether callers want its events.
    events                   boolean not null default false,
    constraint business_pkey primary key (id),
    -- The id of a test book is that of its business with the version 8 (ADR 0051).
    constraint business_id_check check (substr(id::text, 15, 1) <> '8'),
    constraint business_tax_id_check check (tax_id ~ '^[0-9]{9}$'),
    constraint business_vat_rate_check check (vat_rate >= 0),
    constraint business_payment_terms_days_check check (payment_terms_days >= 0),
    constraint business_allocation_hold_minutes_check check (allocation_hold_minutes between 0 and 1440),
    constraint business_accent_color_check check (accent_color ~ '^#[0-9a-f]{6}$'),
    constraint business_logo_sha256_check check (logo_sha256 ~ '^[0-9a-f]{64}$')
  );
  create index business_created_idx on business (created_at, id);
  ${enableTenantIsolation('business', 'id')}

  create table api_key (
    business_id     uuid not null,
    id              uuid not null,
    name            text not null,
    prefix          text not null,
    -- A request is authenticated by this alone.
    hash            bytea not null,
    scopes          text[] not null,
    per_minute      integer not null,
    daily_documents integer not null,
    created_at      timestamptz not null,
    revoked_at      timestamptz,
    mode            text not null default 'live',
    -- No index has it, so that storing it changes none.
    last_used_at    timestamptz,
    constraint api_key_pkey primary key (business_id, id),
    constraint api_key_id_key unique (id),
    constraint api_key_hash_key unique (hash),
    constraint api_key_hash_check check (octet_length(hash) = 32),
    constraint api_key_mode_check check (mode in ('live', 'test')),
    constraint api_key_business_fkey foreign key (business_id) references business (id)
  );
  comment on column api_key.last_used_at is 'To the minute; null: it never was.';
  ${enableTenantIsolation('api_key')}

  -- One row, for all gateways.
  create table kill_switch (
    only_row    boolean not null default true,
    api_enabled boolean not null,
    changed_at  timestamptz not null,
    constraint kill_switch_pkey primary key (only_row),
    constraint kill_switch_only_row_check check (only_row)
  );
  insert into kill_switch (api_enabled, changed_at) values (true, now());
`);
