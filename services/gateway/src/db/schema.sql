CREATE FUNCTION public.keep_request_log(days date[], oldest date) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET lock_timeout TO '2s'
    AS $$
  declare
    of_day date;
    partition_name text;
  begin
    -- Gateways that start together create what they both find missing one after the other.
    perform pg_advisory_xact_lock(hashtext('request_log'));
    foreach of_day in array days loop
      partition_name := 'request_log_' || to_char(of_day, 'YYYYMMDD');
      if to_regclass(partition_name) is null then
        execute format('create table %I partition of request_log for values from (%L) to (%L)',
          partition_name, of_day::timestamptz, (of_day + 1)::timestamptz);
        execute format('alter table %I enable row level security', partition_name);
        execute format('alter table %I force row level security', partition_name);
      end if;
    end loop;
    for partition_name in
      select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'request_log'::regclass and relname < 'request_log_' || to_char(oldest, 'YYYYMMDD')
    loop
      execute format('drop table %I', partition_name);
    end loop;
    delete from request_log_day where day < oldest;
  end $$;

CREATE TABLE public.api_key (
    business_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL,
    scopes text[] NOT NULL,
    per_minute integer NOT NULL,
    daily_documents integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    mode text DEFAULT 'live'::text NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT api_key_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT api_key_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
);

ALTER TABLE ONLY public.api_key FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.api_key.last_used_at IS 'To the minute; null: it never was.';

CREATE TABLE public.business (
    id uuid NOT NULL,
    name text NOT NULL,
    legal_type text,
    tax_id text,
    address text,
    city text,
    email text,
    phone text,
    vat_rate numeric(4,2) NOT NULL,
    prices_include_vat boolean NOT NULL,
    payment_terms_days integer NOT NULL,
    first_numbers jsonb NOT NULL,
    allocation_threshold_net numeric(11,2) NOT NULL,
    tax_authority_connected boolean NOT NULL,
    allocation_hold_minutes integer NOT NULL,
    auto_send jsonb NOT NULL,
    accountant_copy jsonb NOT NULL,
    wallet_labels jsonb NOT NULL,
    language text NOT NULL,
    subscription text NOT NULL,
    archived boolean NOT NULL,
    provider text NOT NULL,
    track text NOT NULL,
    accent_color text,
    logo_sha256 text,
    donation_approval jsonb,
    quote_valid_days integer,
    delivery_notes_without_prices boolean NOT NULL,
    mail_from text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    default_notes text,
    events boolean DEFAULT false NOT NULL,
    payment_instructions jsonb,
    payment_terms_from text,
    CONSTRAINT business_accent_color_check CHECK ((accent_color ~ '^#[0-9a-f]{6}$'::text)),
    CONSTRAINT business_allocation_hold_minutes_check CHECK (((allocation_hold_minutes >= 0) AND (allocation_hold_minutes <= 1440))),
    CONSTRAINT business_id_check CHECK ((substr((id)::text, 15, 1) <> '8'::text)),
    CONSTRAINT business_logo_sha256_check CHECK ((logo_sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT business_payment_terms_days_check CHECK ((payment_terms_days >= 0)),
    CONSTRAINT business_payment_terms_from_check CHECK ((payment_terms_from = ANY (ARRAY['date'::text, 'end_of_month'::text]))),
    CONSTRAINT business_tax_id_check CHECK ((tax_id ~ '^[0-9]{9}$'::text)),
    CONSTRAINT business_vat_rate_check CHECK ((vat_rate >= (0)::numeric))
);

ALTER TABLE ONLY public.business FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.business.payment_instructions IS 'Stated on documents that ask for money. Null: not stated.';

COMMENT ON COLUMN public.business.payment_terms_from IS 'Null: from the date of the document.';

CREATE TABLE public.kill_switch (
    only_row boolean DEFAULT true NOT NULL,
    api_enabled boolean NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT kill_switch_only_row_check CHECK (only_row)
);

CREATE TABLE public.request_log (
    business_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    request_id uuid NOT NULL,
    key_id uuid NOT NULL,
    method text NOT NULL,
    route text,
    status smallint NOT NULL,
    code text,
    idempotency_key text,
    replayed boolean NOT NULL,
    document_id uuid,
    duration_ms integer NOT NULL,
    errors json,
    body json,
    body_truncated boolean NOT NULL,
    details json
)
PARTITION BY RANGE (at);

ALTER TABLE ONLY public.request_log FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.request_log.business_id IS 'The id of the book.';

COMMENT ON COLUMN public.request_log.request_id IS 'A caller may give several requests the same.';

COMMENT ON COLUMN public.request_log.body IS 'Of a refused request, without secrets; what is personal is masked when it is read.';

COMMENT ON COLUMN public.request_log.details IS 'The members of error.details of a refused request, without the errors of a validation_error, which have a column.';

CREATE TABLE public.request_log_day (
    business_id uuid NOT NULL,
    day date NOT NULL,
    requests integer NOT NULL,
    bodies integer NOT NULL
);

ALTER TABLE ONLY public.request_log_day FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.request_log_day IS 'How many requests a book had on a day (UTC), and how many of them with a body: what is above the limits is not kept.';

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_id_key UNIQUE (id);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (business_id, id);

ALTER TABLE ONLY public.business
    ADD CONSTRAINT business_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.kill_switch
    ADD CONSTRAINT kill_switch_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.request_log_day
    ADD CONSTRAINT request_log_day_pkey PRIMARY KEY (business_id, day);

ALTER TABLE ONLY public.request_log
    ADD CONSTRAINT request_log_pkey PRIMARY KEY (business_id, at, id);

CREATE INDEX business_created_idx ON public.business USING btree (created_at, id);

CREATE INDEX request_log_idempotency_idx ON ONLY public.request_log USING btree (business_id, idempotency_key, at, id) WHERE (idempotency_key IS NOT NULL);

CREATE INDEX request_log_key_idx ON ONLY public.request_log USING btree (business_id, key_id, at, id);

CREATE INDEX request_log_refused_idx ON ONLY public.request_log USING btree (business_id, at, id) WHERE (status >= 400);

CREATE INDEX request_log_request_idx ON ONLY public.request_log USING btree (request_id);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_business_fkey FOREIGN KEY (business_id) REFERENCES public.business(id);

ALTER TABLE public.api_key ENABLE ROW LEVEL SECURITY;

CREATE POLICY api_key_of_business ON public.api_key USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.business ENABLE ROW LEVEL SECURITY;

CREATE POLICY business_of_business ON public.business USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.request_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.request_log_day ENABLE ROW LEVEL SECURITY;

CREATE POLICY request_log_day_of_business ON public.request_log_day USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

CREATE POLICY request_log_of_business ON public.request_log USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);
