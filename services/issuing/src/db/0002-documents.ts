import { sqlMigration } from '@pinkas/service-kit/schema';

/** The book: series, documents, and how many a key issued on a day. */
export const documents = sqlMigration(`
  create table series (
    business_id    uuid not null,
    type           text not null,
    next_number    bigint not null,
    last_date      date,
    last_issued_at timestamptz,
    constraint series_pkey primary key (business_id, type),
    constraint series_next_number_check check (next_number >= 1)
  );

  create table daily_count (
    business_id uuid not null,
    key_id      uuid not null,
    counted_on  date not null,
    documents   integer not null,
    constraint daily_count_pkey primary key (business_id, key_id, counted_on),
    constraint daily_count_documents_check check (documents >= 1)
  );

  create table document (
    business_id         uuid not null,
    id                  uuid not null,
    public_id           text not null,
    type                text not null,
    number              bigint not null,
    status              text not null,
    dated_on            date not null,
    due_on              date,
    issued_at           timestamptz not null,
    cancelled_at        timestamptz,
    external_ref        text,
    idempotency_key     text not null,
    body_sha256         bytea not null,
    key_id              uuid not null,
    business            jsonb not null,
    customer_id         uuid not null,
    customer            jsonb not null,
    items               jsonb not null,
    prices_include_vat  boolean not null,
    discount_rule       jsonb,
    payments            jsonb not null,
    subtotal            numeric(14, 2) not null,
    discount            numeric(14, 2) not null,
    vat                 numeric(14, 2) not null,
    vat_rate            numeric(5, 2) not null,
    total               numeric(14, 2) not null,
    paid                numeric(14, 2) not null,
    source_id           uuid,
    source              jsonb,
    title               text,
    notes               text,
    send                boolean not null,
    artifact_sha256     text not null,
    allocation_number   text,
    allocation          jsonb,
    delivery            jsonb,
    creation            jsonb,
    constraint document_pkey primary key (business_id, id),
    constraint document_number_key unique (business_id, type, number),
    constraint document_idempotency_key unique (business_id, idempotency_key),
    constraint document_public_id_key unique (public_id),
    constraint document_source_fkey foreign key (business_id, source_id) references document (business_id, id),
    constraint document_type_check check (type in ('quote', 'order', 'delivery_note', 'return_note', 'proforma',
      'tax_invoice', 'tax_invoice_receipt', 'receipt', 'credit_note', 'donation_receipt')),
    constraint document_status_check check (status in ('open', 'closed', 'cancelled')),
    constraint document_cancelled_check check ((status = 'cancelled') = (cancelled_at is not null)),
    constraint document_number_check check (number >= 1),
    constraint document_totals_check check (subtotal - discount + vat = total),
    constraint document_amounts_check check (subtotal >= 0 and discount >= 0 and vat >= 0 and total >= 0 and paid >= 0),
    constraint document_allocation_number_check check (allocation_number ~ '^[0-9]{9}$')
  );
  create index document_source_idx on document (business_id, source_id) where source_id is not null;

  comment on column document.creation is
    'The outcomes of allocation and delivery that the creation was answered with: a replay answers the same.';

  -- What was issued is final. Only what may change by law or by later steps may change, and nothing is ever deleted
  -- (Income Tax (Bookkeeping) Instructions, 23(b) and appendix E).
  create function document_is_final() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      raise exception 'an issued document is never deleted' using errcode = 'restrict_violation';
    end if;
    raise exception 'an issued document is final' using errcode = 'restrict_violation';
  end $$;
  create trigger document_is_final before delete or update of business_id, id, public_id, type, number, dated_on,
    due_on, issued_at, external_ref, idempotency_key, body_sha256, key_id, business, customer_id, customer, items,
    prices_include_vat, discount_rule, payments, subtotal, discount, vat, vat_rate, total, source_id, source, title,
    notes, send, artifact_sha256 on document
    for each row execute function document_is_final();
  create function document_goes_on() returns trigger language plpgsql as $$
  begin
    if old.status = 'cancelled' and new.status <> 'cancelled'
      or old.cancelled_at is not null and new.cancelled_at is distinct from old.cancelled_at
      or old.allocation_number is not null and new.allocation_number is distinct from old.allocation_number
      or old.creation is not null and new.creation is distinct from old.creation
    then
      raise exception 'what has become of a document is not taken back' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger document_goes_on before update on document
    for each row execute function document_goes_on();
  create function document_is_kept() returns trigger language plpgsql as $$
  begin
    raise exception 'issued documents are never deleted' using errcode = 'restrict_violation';
  end $$;
  create trigger document_is_kept before truncate on document
    for each statement execute function document_is_kept();

  -- A number that was given is never given again.
  create function series_goes_on() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      raise exception 'a series is never deleted' using errcode = 'restrict_violation';
    end if;
    if new.next_number <> old.next_number + 1 or new.last_date < old.last_date or new.last_issued_at < old.last_issued_at then
      raise exception 'a series goes on by one number and never back in time' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger series_goes_on before update or delete on series
    for each row execute function series_goes_on();
`);
