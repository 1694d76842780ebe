CREATE TABLE public.card (
    business_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    tax_id text,
    legal_type text,
    email text,
    phone text,
    address text,
    city text,
    created_at timestamp with time zone NOT NULL,
    confirmed_at timestamp with time zone,
    claimed_until timestamp with time zone,
    CONSTRAINT card_claimed_check CHECK (((confirmed_at IS NULL) = (claimed_until IS NOT NULL))),
    CONSTRAINT card_legal_type_check CHECK ((legal_type = ANY (ARRAY['hevra_baam'::text, 'osek_murshe'::text, 'osek_patur'::text, 'amuta'::text, 'private'::text]))),
    CONSTRAINT card_reserved_check CHECK (((confirmed_at IS NOT NULL) OR (COALESCE(tax_id, legal_type, email, phone, address, city) IS NULL))),
    CONSTRAINT card_tax_id_check CHECK ((tax_id ~ '^[0-9]{9}$'::text))
);

COMMENT ON COLUMN public.card.tax_id IS 'Nine digits, leading zeros kept.';

COMMENT ON COLUMN public.card.confirmed_at IS 'Null: the card is only reserved by a request in flight, bears nothing but its name, and is no customer yet.';

CREATE TABLE public.dead_letter (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    consumer text NOT NULL,
    message_id uuid NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    reason text NOT NULL,
    attempts integer NOT NULL,
    given_up_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.inbox (
    consumer text NOT NULL,
    message_id uuid NOT NULL,
    handled_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);

CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.outbox (
    "position" bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    body json NOT NULL,
    request_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    sent_at timestamp with time zone
);

ALTER TABLE public.outbox ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.tax_id_claim (
    business_id uuid NOT NULL,
    tax_id text NOT NULL,
    card_id uuid NOT NULL,
    claimed_until timestamp with time zone NOT NULL,
    CONSTRAINT tax_id_claim_tax_id_check CHECK ((tax_id ~ '^[0-9]{9}$'::text))
);

COMMENT ON TABLE public.tax_id_claim IS 'The card that a request in flight will write the tax id on, so that two of them do not open two cards for it.';

ALTER TABLE ONLY public.card
    ADD CONSTRAINT card_name_key UNIQUE (business_id, name_key);

ALTER TABLE ONLY public.card
    ADD CONSTRAINT card_pkey PRIMARY KEY (business_id, id);

ALTER TABLE ONLY public.dead_letter
    ADD CONSTRAINT dead_letter_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.dead_letter
    ADD CONSTRAINT dead_letter_step_key UNIQUE (consumer, message_id);

ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (consumer, message_id);

ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_id_key UNIQUE (id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY ("position");

ALTER TABLE ONLY public.tax_id_claim
    ADD CONSTRAINT tax_id_claim_pkey PRIMARY KEY (business_id, tax_id);

CREATE INDEX card_reserved_idx ON public.card USING btree (claimed_until) WHERE (confirmed_at IS NULL);

CREATE INDEX card_tax_id_idx ON public.card USING btree (business_id, tax_id, created_at) WHERE (tax_id IS NOT NULL);

CREATE INDEX inbox_handled_idx ON public.inbox USING btree (handled_at);

CREATE INDEX outbox_sent_idx ON public.outbox USING btree (sent_at) WHERE (sent_at IS NOT NULL);

CREATE INDEX outbox_unsent_idx ON public.outbox USING btree ("position") WHERE (sent_at IS NULL);

CREATE INDEX tax_id_claim_until_idx ON public.tax_id_claim USING btree (claimed_until);
