CREATE FUNCTION public.document_change_is_recorded() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    perform audit_append(new.business_id, 'document.state', new.id::text,
      coalesce(nullif(current_setting('pinkas.actor', true), ''), 'role:' || current_user),
      nullif(current_setting('pinkas.request_id', true), ''), document_state(old), document_state(new));
    return null;
  end $$;

CREATE FUNCTION public.document_has_settlement() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    new.settlement := 
    case
      when new.balance > 0 then case when new.paid + new.set_off > 0 then 'partly_paid' else 'unpaid' end
      when new.balance = 0 then case
        when new.paid + new.set_off > 0 then 'settled' when new.total = 0 then 'nothing' else 'credited' end
      when new.balance < 0 then case
        when new.balance + new.paid + new.set_off < 0 then 'overcredited' else 'overpaid' end
    end;
    return new;
  end $$;

CREATE FUNCTION public.document_is_final() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    if tg_op = 'DELETE' then
      if is_test_book(old.business_id) then
        return old;
      end if;
      raise exception 'an issued document cannot be deleted' using errcode = 'restrict_violation';
    end if;
    raise exception 'an issued document cannot be changed' using errcode = 'restrict_violation';
  end $$;

CREATE TABLE public.document (
    business_id uuid NOT NULL,
    id uuid NOT NULL,
    public_id text NOT NULL,
    type text NOT NULL,
    number bigint NOT NULL,
    "position" bigint NOT NULL,
    status text NOT NULL,
    dated_on date NOT NULL,
    due_on date,
    issued_at timestamp with time zone NOT NULL,
    cancelled_at timestamp with time zone,
    cancel_reason text,
    external_ref text,
    idempotency_key text NOT NULL,
    body_sha256 bytea NOT NULL,
    key_id uuid,
    person_id uuid,
    business jsonb NOT NULL,
    customer_id uuid NOT NULL,
    customer jsonb NOT NULL,
    account_id uuid NOT NULL,
    items jsonb NOT NULL,
    prices_include_vat boolean NOT NULL,
    discount_rule jsonb,
    payments jsonb NOT NULL,
    subtotal numeric(14,2) NOT NULL,
    discount numeric(14,2) NOT NULL,
    vat numeric(14,2) NOT NULL,
    vat_rate numeric(5,2) NOT NULL,
    total numeric(14,2) NOT NULL,
    total_agorot bigint NOT NULL,
    paid numeric(14,2) NOT NULL,
    balance numeric(14,2),
    source_id uuid,
    source jsonb,
    title text,
    notes text,
    send boolean NOT NULL,
    foreign_donor jsonb,
    artifact_sha256 text NOT NULL,
    allocation_number text,
    allocation jsonb,
    delivery jsonb NOT NULL,
    donation jsonb,
    reply_outcomes jsonb,
    hash bytea NOT NULL,
    warnings jsonb,
    set_off numeric(14,2) DEFAULT 0 NOT NULL,
    settlement text,
    withheld numeric(14,2) DEFAULT 0 NOT NULL,
    CONSTRAINT document_allocation_number_check CHECK ((allocation_number ~ '^[0-9]{9}$'::text)),
    CONSTRAINT document_amounts_check CHECK (((subtotal >= (0)::numeric) AND (discount >= (0)::numeric) AND (vat >= (0)::numeric) AND (total >= (0)::numeric) AND (paid >= (0)::numeric))),
    CONSTRAINT document_cancel_reason_check CHECK (((cancel_reason IS NULL) OR (cancelled_at IS NOT NULL))),
    CONSTRAINT document_cancelled_check CHECK (((status = 'cancelled'::text) = (cancelled_at IS NOT NULL))),
    CONSTRAINT document_donation_check CHECK ((((donation IS NULL) AND (foreign_donor IS NULL)) OR (type = 'donation_receipt'::text))),
    CONSTRAINT document_issuer_check CHECK ((num_nonnulls(key_id, person_id) = 1)),
    CONSTRAINT document_number_check CHECK ((number >= 1)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text, 'cancelled'::text]))),
    CONSTRAINT document_totals_check CHECK ((((subtotal - discount) + vat) = total)),
    CONSTRAINT document_type_check CHECK ((type = ANY (ARRAY['quote'::text, 'order'::text, 'delivery_note'::text, 'return_note'::text, 'proforma'::text, 'tax_invoice'::text, 'tax_invoice_receipt'::text, 'receipt'::text, 'credit_note'::text, 'donation_receipt'::text])))
);

ALTER TABLE ONLY public.document FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.document."position" IS 'The place in the order of commits of the business, in which lists show its documents.';

COMMENT ON COLUMN public.document.cancel_reason IS 'The reason that the caller gave for the cancellation.';

COMMENT ON COLUMN public.document.account_id IS 'The customer on whose account it is: of a receipt or a credit note the one whose document it settles.';

COMMENT ON COLUMN public.document.total_agorot IS 'The total, for indexes: below row-level security a comparison of numerics reads none, since it is not leakproof.';

COMMENT ON COLUMN public.document.balance IS 'What is left to pay of it, as settlementOf of the domain computes it; null where it asks for no payment.';

COMMENT ON COLUMN public.document.donation IS 'Of a donation receipt: what has become of its report to the tax authority; null until the authority has answered.';

COMMENT ON COLUMN public.document.reply_outcomes IS 'The outcomes of allocation and delivery in the reply to the issue request; a replay returns the same.';

COMMENT ON COLUMN public.document.hash IS 'SHA-256 over the facts of the document and the hash of the one before it in its series.';

COMMENT ON COLUMN public.document.warnings IS 'What the response to the issue request warned of, by code; a replay warns of the same. Null: they were not stored.';

COMMENT ON COLUMN public.document.set_off IS 'What an owner has set against it, of the money that its customer has on account or as tax that was withheld: the sum of its set-offs that are not removed.';

COMMENT ON COLUMN public.document.settlement IS 'How far it is settled; null where it asks for no payment.';

COMMENT ON COLUMN public.document.withheld IS 'Of what is set against it, the tax that its customer has withheld; of a receipt what was withheld in addition to what it received, as it states.';

CREATE FUNCTION public.document_state(of_document public.document) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    select '{"allocation_number":' || coalesce(to_json(of_document.allocation_number)::text, 'null')
      || ',"cancel_reason":' || coalesce(to_json(of_document.cancel_reason)::text, 'null')
      || ',"cancelled_at":' || coalesce(
        '"' || to_char(of_document.cancelled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null')
      || case when of_document.type = 'donation_receipt' then
        ',"donation_number":' || coalesce(to_json(of_document.donation ->> 'number')::text, 'null')
        || ',"donation_status":' || coalesce(to_json(of_document.donation ->> 'status')::text, 'null') else '' end
      || ',"paid":"' || of_document.paid || '"'
      || coalesce(',"settlement":"' || of_document.settlement || '"', '')
      || ',"status":"' || of_document.status || '"}'
  $$;

CREATE FUNCTION public.document_state_is_forward_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.document_truncate_is_rejected() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'issued documents cannot be truncated' using errcode = 'restrict_violation';
  end $$;

CREATE FUNCTION public.is_test_book(business_id uuid) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN (substr((business_id)::text, 15, 1) = '8'::text);

CREATE FUNCTION public.keep_live_row() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    if not is_test_book(old.business_id) then
      raise exception 'a live book is never emptied' using errcode = 'restrict_violation';
    end if;
    return old;
  end $$;

CREATE FUNCTION public.receipt_states_withheld() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'what a receipt states cannot be changed' using errcode = 'restrict_violation';
  end $$;

CREATE FUNCTION public.reject_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'a live book is never emptied' using errcode = 'restrict_violation';
  end $$;

CREATE FUNCTION public.series_advances_by_one() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.series_advances_with_its_documents() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.set_off_is_removed_once() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    if old.removed_at is not null
      or to_jsonb(new) - 'removed_at' is distinct from to_jsonb(old) - 'removed_at'
    then
      raise exception 'a set-off can only be removed, once' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;

CREATE TABLE public.account_sum (
    business_id uuid NOT NULL,
    type text NOT NULL,
    month date NOT NULL,
    account_id uuid NOT NULL,
    documents integer NOT NULL,
    net numeric(20,2) NOT NULL,
    total numeric(20,2) NOT NULL,
    CONSTRAINT account_sum_documents_check CHECK ((documents >= 1))
);

ALTER TABLE ONLY public.account_sum FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.account_sum IS 'What the invoices, credit notes or receipts on the account of a customer amount to in a month.';

CREATE TABLE public.book (
    business_id uuid NOT NULL,
    last_position bigint NOT NULL,
    last_event bigint DEFAULT 0 NOT NULL,
    CONSTRAINT book_last_event_check CHECK ((last_event >= 0)),
    CONSTRAINT book_last_position_check CHECK ((last_position >= 1))
);

ALTER TABLE ONLY public.book FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.book.last_event IS 'The number of events for callers so far, which are numbered in the order of commits; 0: the business wants none.';

CREATE TABLE public.daily_count (
    business_id uuid NOT NULL,
    key_id uuid NOT NULL,
    counted_on date NOT NULL,
    documents integer NOT NULL,
    CONSTRAINT daily_count_documents_check CHECK ((documents >= 1))
);

ALTER TABLE ONLY public.daily_count FORCE ROW LEVEL SECURITY;

CREATE TABLE public.debt_sum (
    business_id uuid NOT NULL,
    account_id uuid NOT NULL,
    due_on date NOT NULL,
    documents integer NOT NULL,
    open_agorot bigint NOT NULL,
    on_account_agorot bigint NOT NULL
);

ALTER TABLE ONLY public.debt_sum FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.debt_sum IS 'What is left to pay of open documents, by account and due date: of each account (due on infinity), of each due date (the account 0), and of both.';

COMMENT ON COLUMN public.debt_sum.on_account_agorot IS 'Of an account: what it has received beyond what its documents ask for, less what is left to pay of them and what was set off; an agora that is left, or received beyond a total, is nothing.';

CREATE TABLE public.document_sum (
    business_id uuid NOT NULL,
    type text NOT NULL,
    dated_on date NOT NULL,
    vat_rate numeric(5,2) NOT NULL,
    documents integer NOT NULL,
    cancelled integer NOT NULL,
    net numeric(20,2) NOT NULL,
    vat numeric(20,2) NOT NULL,
    total numeric(20,2) NOT NULL,
    CONSTRAINT document_sum_counts_check CHECK (((documents >= 0) AND (cancelled >= 0)))
);

ALTER TABLE ONLY public.document_sum FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.document_sum IS 'What the documents of a type, date and VAT rate amount to, without the cancelled ones, which are only counted.';

CREATE TABLE public.payment_sum (
    business_id uuid NOT NULL,
    type text NOT NULL,
    dated_on date NOT NULL,
    method text NOT NULL,
    documents integer NOT NULL,
    payments integer NOT NULL,
    amount numeric(20,2) NOT NULL,
    CONSTRAINT payment_sum_counts_check CHECK (((documents >= 1) AND (payments >= documents)))
);

ALTER TABLE ONLY public.payment_sum FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.payment_sum IS 'What the documents of a type and date have received by each means of payment.';

CREATE TABLE public.series (
    business_id uuid NOT NULL,
    type text NOT NULL,
    first_number bigint NOT NULL,
    next_number bigint NOT NULL,
    last_date date,
    last_issued_at timestamp with time zone,
    last_hash bytea,
    CONSTRAINT series_first_number_check CHECK ((first_number >= 1)),
    CONSTRAINT series_next_number_check CHECK ((next_number >= first_number))
);

ALTER TABLE ONLY public.series FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.series.last_hash IS 'The hash of the last document; null before the first.';

CREATE TABLE public.set_off (
    business_id uuid NOT NULL,
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    account_id uuid NOT NULL,
    amount numeric(14,2) NOT NULL,
    set_at timestamp with time zone NOT NULL,
    person_id uuid,
    removed_at timestamp with time zone,
    kind text DEFAULT 'credit'::text NOT NULL,
    withheld_on date,
    confirmation_number text,
    confirmation_date date,
    CONSTRAINT set_off_amount_check CHECK ((amount > (0)::numeric)),
    CONSTRAINT set_off_kind_check CHECK ((kind = ANY (ARRAY['credit'::text, 'withheld'::text]))),
    CONSTRAINT set_off_withheld_check CHECK ((((kind = 'withheld'::text) = (withheld_on IS NOT NULL)) AND ((kind = 'withheld'::text) OR ((confirmation_number IS NULL) AND (confirmation_date IS NULL)))))
);

ALTER TABLE ONLY public.set_off FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.set_off IS 'What was set against a document: of the money on the account of its customer, or tax that the customer has withheld at source.';

COMMENT ON COLUMN public.set_off.id IS 'The act, which may settle several documents once: of a receipt that was issued with it, the id of the receipt.';

COMMENT ON COLUMN public.set_off.kind IS 'credit: of the money on account; withheld: tax that its customer has withheld.';

COMMENT ON COLUMN public.set_off.withheld_on IS 'Of tax that was withheld: the day of the payment, which decides its year.';

COMMENT ON COLUMN public.set_off.confirmation_number IS 'Of the paper in which the customer confirms it.';

COMMENT ON COLUMN public.set_off.confirmation_date IS 'The day on this paper.';

ALTER TABLE ONLY public.account_sum
    ADD CONSTRAINT account_sum_pkey PRIMARY KEY (business_id, type, month, account_id);

ALTER TABLE ONLY public.book
    ADD CONSTRAINT book_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.daily_count
    ADD CONSTRAINT daily_count_pkey PRIMARY KEY (business_id, key_id, counted_on);

ALTER TABLE ONLY public.debt_sum
    ADD CONSTRAINT debt_sum_pkey PRIMARY KEY (business_id, account_id, due_on);

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_idempotency_key UNIQUE (business_id, idempotency_key);

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_number_key UNIQUE (business_id, type, number);

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (business_id, id);

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_position_key UNIQUE (business_id, "position");

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_public_id_key UNIQUE (public_id);

ALTER TABLE ONLY public.document_sum
    ADD CONSTRAINT document_sum_pkey PRIMARY KEY (business_id, type, dated_on, vat_rate);

ALTER TABLE ONLY public.payment_sum
    ADD CONSTRAINT payment_sum_pkey PRIMARY KEY (business_id, type, dated_on, method);

ALTER TABLE ONLY public.series
    ADD CONSTRAINT series_pkey PRIMARY KEY (business_id, type);

ALTER TABLE ONLY public.set_off
    ADD CONSTRAINT set_off_pkey PRIMARY KEY (business_id, id, document_id, kind);

CREATE INDEX debt_sum_open_idx ON public.debt_sum USING btree (business_id, open_agorot DESC, account_id) WHERE ((due_on = 'infinity'::date) AND (open_agorot > 0));

CREATE INDEX document_account_idx ON public.document USING btree (business_id, account_id, dated_on, "position") INCLUDE (type, total, paid, balance) WHERE (type = ANY (ARRAY['proforma'::text, 'tax_invoice'::text, 'tax_invoice_receipt'::text, 'receipt'::text, 'credit_note'::text]));

CREATE INDEX document_allocation_number_idx ON public.document USING btree (business_id, allocation_number) WHERE (allocation_number IS NOT NULL);

CREATE INDEX document_customer_position_idx ON public.document USING btree (business_id, customer_id, "position");

CREATE INDEX document_debt_account_idx ON public.document USING btree (business_id, account_id, (
CASE
    WHEN (due_on IS NULL) THEN dated_on
    ELSE due_on
END), id) WHERE (balance > (0)::numeric);

CREATE INDEX document_debt_due_idx ON public.document USING btree (business_id, (
CASE
    WHEN (due_on IS NULL) THEN dated_on
    ELSE due_on
END), id) WHERE (balance > (0)::numeric);

CREATE INDEX document_external_ref_idx ON public.document USING btree (business_id, external_ref, "position") WHERE (external_ref IS NOT NULL);

CREATE INDEX document_overpaid_proforma_idx ON public.document USING btree (business_id, "position") WHERE ((type = 'proforma'::text) AND (paid > total) AND (settlement IS NULL));

CREATE INDEX document_settlement_idx ON public.document USING btree (business_id, type, settlement, "position") WHERE (settlement IS NOT NULL);

CREATE INDEX document_source_idx ON public.document USING btree (business_id, source_id) INCLUDE (type, total) WHERE (source_id IS NOT NULL);

CREATE INDEX document_type_balance_idx ON public.document USING btree (business_id, type, balance, "position") WHERE ((balance <> (0)::numeric) IS TRUE);

CREATE INDEX document_type_dated_idx ON public.document USING btree (business_id, type, dated_on, "position");

CREATE INDEX document_type_position_idx ON public.document USING btree (business_id, type, "position");

CREATE INDEX document_type_status_position_idx ON public.document USING btree (business_id, type, status, "position");

CREATE INDEX document_type_total_idx ON public.document USING btree (business_id, type, total_agorot, "position");

CREATE INDEX document_undeductible_idx ON public.document USING btree (business_id, "position") WHERE ((type = ANY (ARRAY['tax_invoice'::text, 'tax_invoice_receipt'::text])) AND (vat > (0)::numeric) AND ((business ->> 'tax_authority_connected'::text) = 'false'::text) AND ((subtotal - discount) > ((business ->> 'allocation_threshold_net'::text))::numeric) AND ((customer ->> 'tax_id'::text) IS NOT NULL) AND (((customer ->> 'legal_type'::text) = ANY (ARRAY['private'::text, 'osek_patur'::text])) IS NOT TRUE));

CREATE INDEX document_unreported_donation_idx ON public.document USING btree (business_id, "position") WHERE (((donation ->> 'status'::text) = 'not_required'::text) AND ((business ->> 'tax_authority_connected'::text) = 'false'::text));

CREATE INDEX document_without_buyer_id_idx ON public.document USING btree (business_id, "position") WHERE ((type = ANY (ARRAY['tax_invoice'::text, 'tax_invoice_receipt'::text])) AND ((subtotal - discount) > (5000)::numeric) AND ((customer ->> 'tax_id'::text) IS NULL) AND (((customer ->> 'legal_type'::text) = 'private'::text) IS NOT TRUE));

CREATE INDEX document_without_number_idx ON public.document USING btree (business_id, id) WHERE ((allocation_number IS NULL) AND (COALESCE((allocation ->> 'status'::text), ''::text) <> 'not_required'::text));

CREATE INDEX set_off_document_idx ON public.set_off USING btree (business_id, document_id);

CREATE INDEX set_off_withheld_idx ON public.set_off USING btree (business_id, account_id, withheld_on, id, document_id) WHERE ((kind = 'withheld'::text) AND (removed_at IS NULL));

CREATE TRIGGER account_sum_is_not_truncated BEFORE TRUNCATE ON public.account_sum FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER account_sum_keeps_live_rows BEFORE DELETE ON public.account_sum FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER book_is_not_truncated BEFORE TRUNCATE ON public.book FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER book_keeps_live_rows BEFORE DELETE ON public.book FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER daily_count_is_not_truncated BEFORE TRUNCATE ON public.daily_count FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER daily_count_keeps_live_rows BEFORE DELETE ON public.daily_count FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER debt_sum_is_not_truncated BEFORE TRUNCATE ON public.debt_sum FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER debt_sum_keeps_live_rows BEFORE DELETE ON public.debt_sum FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER document_change_is_recorded AFTER UPDATE OF status, paid, cancelled_at, cancel_reason, allocation_number, donation ON public.document FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) OR (old.paid IS DISTINCT FROM new.paid) OR (old.cancelled_at IS DISTINCT FROM new.cancelled_at) OR (old.cancel_reason IS DISTINCT FROM new.cancel_reason) OR (old.allocation_number IS DISTINCT FROM new.allocation_number) OR ((old.donation ->> 'number'::text) IS DISTINCT FROM (new.donation ->> 'number'::text)) OR ((old.donation ->> 'status'::text) IS DISTINCT FROM (new.donation ->> 'status'::text)))) EXECUTE FUNCTION public.document_change_is_recorded();

CREATE TRIGGER document_has_settlement BEFORE INSERT OR UPDATE OF balance, paid, set_off, settlement ON public.document FOR EACH ROW EXECUTE FUNCTION public.document_has_settlement();

CREATE TRIGGER document_is_final BEFORE DELETE OR UPDATE OF business_id, id, public_id, type, number, "position", dated_on, due_on, issued_at, external_ref, idempotency_key, body_sha256, key_id, person_id, business, customer_id, customer, account_id, items, prices_include_vat, discount_rule, payments, subtotal, discount, vat, vat_rate, total, total_agorot, source_id, source, title, notes, send, foreign_donor, artifact_sha256, hash ON public.document FOR EACH ROW EXECUTE FUNCTION public.document_is_final();

CREATE TRIGGER document_state_is_forward_only BEFORE UPDATE ON public.document FOR EACH ROW EXECUTE FUNCTION public.document_state_is_forward_only();

CREATE TRIGGER document_sum_is_not_truncated BEFORE TRUNCATE ON public.document_sum FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER document_sum_keeps_live_rows BEFORE DELETE ON public.document_sum FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER document_truncate_is_rejected BEFORE TRUNCATE ON public.document FOR EACH STATEMENT EXECUTE FUNCTION public.document_truncate_is_rejected();

CREATE TRIGGER document_warnings_are_final BEFORE UPDATE OF warnings ON public.document FOR EACH ROW EXECUTE FUNCTION public.document_is_final();

CREATE TRIGGER payment_sum_is_not_truncated BEFORE TRUNCATE ON public.payment_sum FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER payment_sum_keeps_live_rows BEFORE DELETE ON public.payment_sum FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER receipt_states_withheld BEFORE UPDATE OF withheld ON public.document FOR EACH ROW WHEN (((old.type = 'receipt'::text) AND (new.withheld <> old.withheld))) EXECUTE FUNCTION public.receipt_states_withheld();

CREATE TRIGGER series_advances_by_one BEFORE DELETE OR UPDATE ON public.series FOR EACH ROW EXECUTE FUNCTION public.series_advances_by_one();

CREATE TRIGGER series_advances_with_its_documents AFTER UPDATE ON public.series FOR EACH ROW EXECUTE FUNCTION public.series_advances_with_its_documents();

CREATE TRIGGER set_off_is_not_truncated BEFORE TRUNCATE ON public.set_off FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER set_off_is_removed_once BEFORE UPDATE ON public.set_off FOR EACH ROW EXECUTE FUNCTION public.set_off_is_removed_once();

CREATE TRIGGER set_off_keeps_live_rows BEFORE DELETE ON public.set_off FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_source_fkey FOREIGN KEY (business_id, source_id) REFERENCES public.document(business_id, id);

ALTER TABLE public.account_sum ENABLE ROW LEVEL SECURITY;

CREATE POLICY account_sum_of_business ON public.account_sum USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.book ENABLE ROW LEVEL SECURITY;

CREATE POLICY book_of_business ON public.book USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.daily_count ENABLE ROW LEVEL SECURITY;

CREATE POLICY daily_count_of_business ON public.daily_count USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.debt_sum ENABLE ROW LEVEL SECURITY;

CREATE POLICY debt_sum_of_business ON public.debt_sum USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.document ENABLE ROW LEVEL SECURITY;

CREATE POLICY document_of_business ON public.document USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.document_sum ENABLE ROW LEVEL SECURITY;

CREATE POLICY document_sum_of_business ON public.document_sum USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.payment_sum ENABLE ROW LEVEL SECURITY;

CREATE POLICY payment_sum_of_business ON public.payment_sum USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.series ENABLE ROW LEVEL SECURITY;

CREATE POLICY series_of_business ON public.series USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.set_off ENABLE ROW LEVEL SECURITY;

CREATE POLICY set_off_of_business ON public.set_off USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);
