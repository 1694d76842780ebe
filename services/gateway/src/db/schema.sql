CREATE FUNCTION public.audit_append(of_business uuid, action text, subject text, actor text, request_id text, before text, after text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  declare
    chain audit_chain;
    appended_at timestamptz;
    entry_hash bytea;
  begin
    insert into audit_chain values (of_business, 0, null, clock_timestamp()) on conflict do nothing;
    select * into strict chain from audit_chain where business_id = of_business for update;
    appended_at := date_trunc('milliseconds', clock_timestamp());
    entry_hash := sha256(convert_to(
      '{"action":' || to_json(action)
      || ',"actor":' || to_json(actor)
      || ',"after":' || coalesce(after, 'null')
      || ',"at":"' || to_char(appended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      || '","before":' || coalesce(before, 'null')
      || ',"business_id":' || to_json(of_business::text)
      || ',"n":' || (chain.last_n + 1)
      || ',"previous":' || coalesce(to_json(encode(chain.last_hash, 'hex'))::text, 'null')
      || ',"request_id":' || coalesce(to_json(request_id)::text, 'null')
      || ',"subject":' || to_json(subject) || '}', 'UTF8'));
    insert into audit_entry values (of_business, chain.last_n + 1, appended_at, action, subject, actor, request_id,
      before::json, after::json, entry_hash);
    update audit_chain set last_n = chain.last_n + 1, last_hash = entry_hash, changed_at = appended_at
      where business_id = of_business;
  end $$;

CREATE FUNCTION public.audit_is_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'the audit trail can only be appended to' using errcode = 'restrict_violation';
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

CREATE TABLE public.audit_chain (
    business_id uuid NOT NULL,
    last_n bigint NOT NULL,
    last_hash bytea,
    changed_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.audit_chain FORCE ROW LEVEL SECURITY;

CREATE TABLE public.audit_entry (
    business_id uuid NOT NULL,
    n bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    actor text NOT NULL,
    request_id text,
    before json,
    after json,
    hash bytea NOT NULL
);

ALTER TABLE ONLY public.audit_entry FORCE ROW LEVEL SECURITY;

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
    CONSTRAINT business_accent_color_check CHECK ((accent_color ~ '^#[0-9a-f]{6}$'::text)),
    CONSTRAINT business_allocation_hold_minutes_check CHECK (((allocation_hold_minutes >= 0) AND (allocation_hold_minutes <= 1440))),
    CONSTRAINT business_id_check CHECK ((substr((id)::text, 15, 1) <> '8'::text)),
    CONSTRAINT business_logo_sha256_check CHECK ((logo_sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT business_payment_terms_days_check CHECK ((payment_terms_days >= 0)),
    CONSTRAINT business_tax_id_check CHECK ((tax_id ~ '^[0-9]{9}$'::text)),
    CONSTRAINT business_vat_rate_check CHECK ((vat_rate >= (0)::numeric))
);

ALTER TABLE ONLY public.business FORCE ROW LEVEL SECURITY;

CREATE TABLE public.kill_switch (
    only_row boolean DEFAULT true NOT NULL,
    api_enabled boolean NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT kill_switch_only_row_check CHECK (only_row)
);

CREATE TABLE public.kit_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);

CREATE TABLE public.kit_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);

CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_id_key UNIQUE (id);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (business_id, id);

ALTER TABLE ONLY public.audit_chain
    ADD CONSTRAINT audit_chain_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.audit_entry
    ADD CONSTRAINT audit_entry_pkey PRIMARY KEY (business_id, n);

ALTER TABLE ONLY public.business
    ADD CONSTRAINT business_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.kill_switch
    ADD CONSTRAINT kill_switch_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.kit_migration_lock
    ADD CONSTRAINT kit_migration_lock_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.kit_migration
    ADD CONSTRAINT kit_migration_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);

CREATE INDEX audit_entry_subject_idx ON public.audit_entry USING btree (business_id, subject, n);

CREATE INDEX business_created_idx ON public.business USING btree (created_at, id);

CREATE TRIGGER audit_chain_is_append_only BEFORE DELETE ON public.audit_chain FOR EACH ROW EXECUTE FUNCTION public.audit_is_append_only();

CREATE TRIGGER audit_chain_truncate_is_rejected BEFORE TRUNCATE ON public.audit_chain FOR EACH STATEMENT EXECUTE FUNCTION public.audit_is_append_only();

CREATE TRIGGER audit_entry_is_append_only BEFORE DELETE OR UPDATE ON public.audit_entry FOR EACH ROW EXECUTE FUNCTION public.audit_is_append_only();

CREATE TRIGGER audit_entry_truncate_is_rejected BEFORE TRUNCATE ON public.audit_entry FOR EACH STATEMENT EXECUTE FUNCTION public.audit_is_append_only();

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_business_fkey FOREIGN KEY (business_id) REFERENCES public.business(id);

ALTER TABLE public.api_key ENABLE ROW LEVEL SECURITY;

CREATE POLICY api_key_of_business ON public.api_key USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.audit_chain ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_chain_of_business ON public.audit_chain USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.audit_entry ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_entry_of_business ON public.audit_entry USING (
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
