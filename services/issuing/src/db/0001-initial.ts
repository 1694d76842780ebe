import {
  createTestBookFunction,
  enableTenantIsolation,
  keepLiveRows,
  sqlMigration,
} from '@pinkas/service-kit/schema';

/** The book: series with their chains, documents, their order, the trail of what changes after the issue, how many documents an API key issued on a day, and what those of a date amount to. */
export const initial = sqlMigration(`
  -- Only a test book can be emptied; its series then begin again with 1.
  ${createTestBookFunction}

  create table series (
    business_id    uuid not null,
    type           text not null,
    -- Of the settings that the first document was issued with; they may have been changed meanwhile.
    first_number   bigint not null,
    next_number    bigint not null,
    last_date      date,
    last_issued_at timestamptz,
    last_hash      bytea,
    constraint series_pkey primary key (business_id, type),
    constraint series_first_number_check check (first_number >= 1),
    constraint series_next_number_check check (next_number >= first_number)
  );

  create table daily_count (
    business_id uuid not null,
    key_id      uuid not null,
    counted_on  date not null,
    documents   integer not null,
    constraint daily_count_pkey primary key (business_id, key_id, counted_on),
    constraint daily_count_documents_check check (documents >= 1)
  );

  -- A month in the console reads a row for each type, day and VAT rate, and no document.
  create table document_sum (
    business_id uuid not null,
    type        text not null,
    dated_on    date not null,
    vat_rate    numeric(5, 2) not null,
    documents   integer not null,
    cancelled   integer not null,
    net         numeric(20, 2) not null,
    vat         numeric(20, 2) not null,
    total       numeric(20, 2) not null,
    constraint document_sum_pkey primary key (business_id, type, dated_on, vat_rate),
    constraint document_sum_counts_check check (documents >= 0 and cancelled >= 0)
  );
  comment on table document_sum is
    'What the documents of a type, date and VAT rate amount to, without the cancelled ones, which are only counted.';

  -- No document with payments can be cancelled: these sums only grow.
  create table payment_sum (
    business_id uuid not null,
    type        text not null,
    dated_on    date not null,
    method      text not null,
    documents   integer not null,
    payments    integer not null,
    amount      numeric(20, 2) not null,
    constraint payment_sum_pkey primary key (business_id, type, dated_on, method),
    constraint payment_sum_counts_check check (documents >= 1 and payments >= documents)
  );
  comment on table payment_sum is
    'What the documents of a type and date have received by each means of payment.';

  -- The best customers of a year in the console: a row for each customer and month, and no document. No document of these types can
  -- be cancelled: these sums only grow.
  create table account_sum (
    business_id uuid not null,
    type        text not null,
    -- Its first day.
    month       date not null,
    account_id  uuid not null,
    documents   integer not null,
    net         numeric(20, 2) not null,
    total       numeric(20, 2) not null,
    constraint account_sum_pkey primary key (business_id, type, month, account_id),
    constraint account_sum_documents_check check (documents >= 1)
  );
  comment on table account_sum is
    'What the invoices, credit notes or receipts on the account of a customer amount to in a month.';

  -- Debts in the console: of a book by age a row for each due date, and of a customer the same, however many documents are open.
  create table debt_sum (
    business_id       uuid not null,
    account_id        uuid not null,
    due_on            date not null,
    documents         integer not null,
    open_agorot       bigint not null,
    on_account_agorot bigint not null,
    constraint debt_sum_pkey primary key (business_id, account_id, due_on)
  );
  -- The customers with the largest debts first.
  create index debt_sum_open_idx on debt_sum (business_id, open_agorot desc, account_id)
    where due_on = 'infinity' and open_agorot > 0;
  comment on table debt_sum is
    'What is left to pay of open documents, by account and due date: of each account (due on infinity), of each due date (the account 0), and of both.';
  comment on column debt_sum.on_account_agorot is
    'Of an account: what it has received beyond what its documents ask for, less what is left to pay of them.';

  -- Locked by the last statement of each transaction that issues, so that positions are in the order of commits.
  create table book (
    business_id   uuid not null,
    last_position bigint not null,
    last_event    bigint not null default 0,
    constraint book_pkey primary key (business_id),
    constraint book_last_position_check check (last_position >= 1),
    constraint book_last_event_check check (last_event >= 0)
  );
  comment on column book.last_event is
    'The number of events for callers so far, which are numbered in the order of commits; 0: the business wants none.';

  create table document (
    business_id         uuid not null,
    id                  uuid not null,
    public_id           text not null,
    type                text not null,
    number              bigint not null,
    position            bigint not null,
    status              text not null,
    dated_on            date not null,
    due_on              date,
    issued_at           timestamptz not null,
    cancelled_at        timestamptz,
    cancel_reason       text,
    external_ref        text,
    idempotency_key     text not null,
    body_sha256         bytea not null,
    -- Who issued it: an API key, or a person of the console.
    key_id              uuid,
    person_id           uuid,
    business            jsonb not null,
    customer_id         uuid not null,
    customer            jsonb not null,
    account_id          uuid not null,
    items               jsonb not null,
    prices_include_vat  boolean not null,
    discount_rule       jsonb,
    payments            jsonb not null,
    subtotal            numeric(14, 2) not null,
    discount            numeric(14, 2) not null,
    vat                 numeric(14, 2) not null,
    vat_rate            numeric(5, 2) not null,
    total               numeric(14, 2) not null,
    total_agorot        bigint not null,
    paid                numeric(14, 2) not null,
    balance             numeric(14, 2),
    source_id           uuid,
    source              jsonb,
    title               text,
    notes               text,
    send                boolean not null,
    foreign_donor       jsonb,
    artifact_sha256     text not null,
    allocation_number   text,
    allocation          jsonb,
    delivery            jsonb not null,
    donation            jsonb,
    reply_outcomes      jsonb,
    hash                bytea not null,
    constraint document_pkey primary key (business_id, id),
    constraint document_number_key unique (business_id, type, number),
    constraint document_position_key unique (business_id, position),
    constraint document_idempotency_key unique (business_id, idempotency_key),
    constraint document_public_id_key unique (public_id),
    constraint document_source_fkey foreign key (business_id, source_id) references document (business_id, id),
    constraint document_type_check check (type in ('quote', 'order', 'delivery_note', 'return_note', 'proforma',
      'tax_invoice', 'tax_invoice_receipt', 'receipt', 'credit_note', 'donation_receipt')),
    constraint document_issuer_check check (num_nonnulls(key_id, person_id) = 1),
    constraint document_status_check check (status in ('open', 'closed', 'cancelled')),
    constraint document_cancelled_check check ((status = 'cancelled') = (cancelled_at is not null)),
    constraint document_cancel_reason_check check (cancel_reason is null or cancelled_at is not null),
    constraint document_number_check check (number >= 1),
    constraint document_totals_check check (subtotal - discount + vat = total),
    constraint document_amounts_check check (subtotal >= 0 and discount >= 0 and vat >= 0 and total >= 0 and paid >= 0),
    constraint document_allocation_number_check check (allocation_number ~ '^[0-9]{9}$'),
    constraint document_donation_check check (donation is null and foreign_donor is null or type = 'donation_receipt')
  );
  -- With what sums over a book need, which then read no row.
  create index document_source_idx on document (business_id, source_id) include (type, total)
    where source_id is not null;

  -- Every filter of a list has an index in the order of the list; without a filter it is document_position_key. None contains
  -- a column that changes after the issue, so that an update of a document changes no index.
  create index document_type_position_idx on document (business_id, type, position);
  create index document_external_ref_idx on document (business_id, external_ref, position)
    where external_ref is not null;
  create index document_customer_position_idx on document (business_id, customer_id, position);
  -- The status changes after the issue, once or twice in the life of a document: the one exception among these indexes.
  create index document_type_status_position_idx on document (business_id, type, status, position);
  -- What a person should look at, of a complete book. What was paid changes with receipts alone, which change the status as well.
  -- With the id, which is all that is read: the planner takes these documents for many, and would read the complete book otherwise.
  create index document_part_paid_idx on document (business_id, id)
    where type in ('tax_invoice', 'proforma') and paid > 0 and paid <> total;
  create index document_unconnected_idx on document (business_id)
    where type in ('tax_invoice', 'tax_invoice_receipt') and vat > 0 and business ->> 'tax_authority_connected' = 'false'
      and subtotal - discount > (business ->> 'allocation_threshold_net')::numeric;
  -- 'is true': 'balance > 0' must not imply it, or the planner reads debts by this index, and sorts them.
  create index document_type_balance_idx on document (business_id, type, balance, position) where (balance <> 0) is true;
  create index document_type_total_idx on document (business_id, type, total_agorot, position);
  -- A number comes with a document, or once after it; so does the end of the wait for it.
  create index document_allocation_number_idx on document (business_id, allocation_number)
    where allocation_number is not null;
  create index document_without_number_idx on document (business_id, id)
    where allocation_number is null and coalesce(allocation ->> 'status', '') <> 'not_required';
  -- What is left to pay of a book, by its age and by its customers, without a row of what is settled. Not 'coalesce', which may leak:
  -- below row-level security no index would be searched by it.
  create index document_debt_due_idx on document (business_id, (case when due_on is null then dated_on else due_on end), id)
    where balance > 0;
  create index document_debt_account_idx on document (business_id, account_id,
    (case when due_on is null then dated_on else due_on end), id) where balance > 0;
  -- The account of a customer, in the order of its statement, with what its sums need.
  create index document_account_idx on document (business_id, account_id, dated_on, position)
    include (type, total, paid, balance)
    where type in ('proforma', 'tax_invoice', 'tax_invoice_receipt', 'receipt', 'credit_note');
  -- Finds between which positions the documents of a type with a range of dates are.
  create index document_type_dated_idx on document (business_id, type, dated_on, position);

  comment on column series.last_hash is 'The hash of the last document; null before the first.';
  comment on column document.hash is
    'SHA-256 over the facts of the document and the hash of the one before it in its series.';
  comment on column document.position is
    'The place in the order of commits of the business, in which lists show its documents.';
  comment on column document.total_agorot is
    'The total, for indexes: below row-level security a comparison of numerics reads none, since it is not leakproof.';
  comment on column document.account_id is
    'The customer on whose account it is: of a receipt or a credit note the one whose document it settles.';
  comment on column document.balance is
    'What is left to pay of it, as settlementOf of the domain computes it; null where it asks for no payment.';
  comment on column document.cancel_reason is 'The reason that the caller gave for the cancellation.';
  comment on column document.donation is
    'Of a donation receipt: what has become of its report to the tax authority; null until the authority has answered.';
  comment on column document.reply_outcomes is
    'The outcomes of allocation and delivery in the reply to the issue request; a replay returns the same.';

  -- An issued document is final, and is never deleted (Income Tax (Bookkeeping) Instructions, 23(b) and appendix E). Its
  -- state may change, by law or by what happens after the issue.
  create function document_is_final() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      if is_test_book(old.business_id) then
        return old;
      end if;
      raise exception 'an issued document cannot be deleted' using errcode = 'restrict_violation';
    end if;
    raise exception 'an issued document cannot be changed' using errcode = 'restrict_violation';
  end $$;
  create trigger document_is_final before delete or update of business_id, id, public_id, type, number, position, dated_on,
    due_on, issued_at, external_ref, idempotency_key, body_sha256, key_id, person_id, business, customer_id, customer, account_id,
    items, prices_include_vat, discount_rule, payments, subtotal, discount, vat, vat_rate, total, total_agorot, source_id, source, title,
    notes, send, foreign_donor, artifact_sha256, hash on document
    for each row execute function document_is_final();

  create function document_state_is_forward_only() returns trigger language plpgsql as $$
  begin
    if old.status = 'cancelled' and new.status <> 'cancelled'
      or old.cancelled_at is not null and new.cancelled_at is distinct from old.cancelled_at
      or old.cancelled_at is not null and new.cancel_reason is distinct from old.cancel_reason
      or old.allocation_number is not null and new.allocation_number is distinct from old.allocation_number
      or old.donation ->> 'number' is not null and new.donation ->> 'number' is distinct from old.donation ->> 'number'
      or old.donation ->> 'status' = 'cancelled' and new.donation ->> 'status' is distinct from 'cancelled'
      or old.reply_outcomes is not null and new.reply_outcomes is distinct from old.reply_outcomes
    then
      raise exception 'a cancellation, a number of the tax authority or recorded reply outcomes cannot be changed'
        using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger document_state_is_forward_only before update on document
    for each row execute function document_state_is_forward_only();

  create function document_truncate_is_rejected() returns trigger language plpgsql as $$
  begin
    raise exception 'issued documents cannot be truncated' using errcode = 'restrict_violation';
  end $$;
  create trigger document_truncate_is_rejected before truncate on document
    for each statement execute function document_truncate_is_rejected();

  -- A number is never used twice.
  create function series_advances_by_one() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      if is_test_book(old.business_id) then
        return old;
      end if;
      raise exception 'a series cannot be deleted' using errcode = 'restrict_violation';
    end if;
    if new.first_number <> old.first_number or new.next_number <= old.next_number or new.last_date < old.last_date or new.last_issued_at < old.last_issued_at then
      raise exception 'a series keeps its first number, advances by one number for each document, and its last date and instant never decrease'
        using errcode = 'restrict_violation';
    end if;
    if new.last_hash is null or new.last_hash is not distinct from old.last_hash then
      raise exception 'a series continues its chain with each document' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger series_advances_by_one before update or delete on series
    for each row execute function series_advances_by_one();

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

  ${enableTenantIsolation('document')}
  ${enableTenantIsolation('series')}
  ${enableTenantIsolation('daily_count')}
  ${enableTenantIsolation('book')}
  ${enableTenantIsolation('document_sum')}
  ${enableTenantIsolation('payment_sum')}
  ${enableTenantIsolation('account_sum')}
  ${enableTenantIsolation('debt_sum')}

  ${keepLiveRows('book')}
  ${keepLiveRows('daily_count')}
  ${keepLiveRows('document_sum')}
  ${keepLiveRows('payment_sum')}
  ${keepLiveRows('account_sum')}
  ${keepLiveRows('debt_sum')}

  -- The trail of what changes after the issue.
  -- The state of a document in the canonical form of RFC 8785; texts and null alone, so that its numbers need no canonical form.
  create function document_state(of_document document) returns text language sql stable as $$
    select '{"allocation_number":' || coalesce(to_json(of_document.allocation_number)::text, 'null')
      || ',"cancel_reason":' || coalesce(to_json(of_document.cancel_reason)::text, 'null')
      || ',"cancelled_at":' || coalesce(
        '"' || to_char(of_document.cancelled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null')
      || case when of_document.type = 'donation_receipt' then
        ',"donation_number":' || coalesce(to_json(of_document.donation ->> 'number')::text, 'null')
        || ',"donation_status":' || coalesce(to_json(of_document.donation ->> 'status')::text, 'null') else '' end
      || ',"paid":"' || of_document.paid || '","status":"' || of_document.status || '"}'
  $$;

  -- A trigger, so that no code path can leave a change out.
  create function document_change_is_recorded() returns trigger language plpgsql as $$
  begin
    perform audit_append(new.business_id, 'document.state', new.id::text,
      coalesce(nullif(current_setting('pinkas.actor', true), ''), 'role:' || current_user),
      nullif(current_setting('pinkas.request_id', true), ''), document_state(old), document_state(new));
    return null;
  end $$;
  create trigger document_change_is_recorded
    after update of status, paid, cancelled_at, cancel_reason, allocation_number, donation on document
    for each row when (
      old.status is distinct from new.status or old.paid is distinct from new.paid
      or old.cancelled_at is distinct from new.cancelled_at or old.cancel_reason is distinct from new.cancel_reason
      or old.allocation_number is distinct from new.allocation_number
      or old.donation ->> 'number' is distinct from new.donation ->> 'number'
      or old.donation ->> 'status' is distinct from new.donation ->> 'status'
    ) execute function document_change_is_recorded();
`);
