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

CREATE INDEX business_created_idx ON public.business USING btree (created_at, id);

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
