CREATE TABLE public.allocation (
    business_id uuid NOT NULL,
    document_id uuid NOT NULL,
    state text NOT NULL,
    reason text,
    number text,
    confirmation_number text,
    facts jsonb,
    answer text,
    request_id text,
    attempts integer DEFAULT 0 NOT NULL,
    asked_since timestamp with time zone,
    next_attempt_at timestamp with time zone,
    claimed_until timestamp with time zone,
    decided_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    unclear boolean DEFAULT false NOT NULL,
    waits_for_connection boolean DEFAULT false NOT NULL,
    given_up_at timestamp with time zone,
    refused_at timestamp with time zone,
    refusal_codes text[],
    refusal_words text,
    refusal_answer text,
    earlier_attempts integer DEFAULT 0 NOT NULL,
    trace json,
    CONSTRAINT allocation_asking_check CHECK (((state = 'asking'::text) = (next_attempt_at IS NOT NULL))),
    CONSTRAINT allocation_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT allocation_earlier_attempts_check CHECK (((earlier_attempts >= 0) AND (earlier_attempts <= attempts))),
    CONSTRAINT allocation_facts_check CHECK (((state = ANY (ARRAY['asking'::text, 'issued'::text, 'refused'::text, 'given_up'::text])) = (facts IS NOT NULL))),
    CONSTRAINT allocation_issued_check CHECK ((((state = 'issued'::text) = (number IS NOT NULL)) AND ((number IS NULL) = (confirmation_number IS NULL)) AND ((number IS NULL) OR ("right"(confirmation_number, 9) = number)))),
    CONSTRAINT allocation_number_check CHECK ((number ~ '^[0-9]{9}$'::text)),
    CONSTRAINT allocation_state_check CHECK ((state = ANY (ARRAY['not_required'::text, 'skipped_customer_tax_id_missing'::text, 'skipped_business_tax_id_missing'::text, 'asking'::text, 'issued'::text, 'refused'::text, 'given_up'::text])))
);

ALTER TABLE ONLY public.allocation FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.allocation.confirmation_number IS 'The whole number of the authority; its rightmost nine digits are printed.';

COMMENT ON COLUMN public.allocation.facts IS 'The issued document and its business: what is needed to ask, and to announce the answer.';

COMMENT ON COLUMN public.allocation.answer IS 'The body of the authority''s last answer.';

COMMENT ON COLUMN public.allocation.unclear IS 'A try may have been granted without our knowing: the number is looked up before it is asked for again.';

COMMENT ON COLUMN public.allocation.waits_for_connection IS 'The last try found no usable connection: it is due again when the owner has logged in.';

COMMENT ON COLUMN public.allocation.refused_at IS 'The last refusal, with its codes, words and whole answer, is a legal event and stays also when a number comes later.';

COMMENT ON COLUMN public.allocation.earlier_attempts IS 'How many of the attempts were made before the day of tries began anew: by an operator, or a new connection.';

CREATE TABLE public.connection (
    business_id uuid NOT NULL,
    access_token bytea NOT NULL,
    access_expires_at timestamp with time zone NOT NULL,
    refresh_token bytea NOT NULL,
    refresh_expires_at timestamp with time zone,
    connected_at timestamp with time zone NOT NULL,
    refreshed_at timestamp with time zone NOT NULL,
    broken_at timestamp with time zone,
    warned text,
    CONSTRAINT connection_warned_check CHECK ((warned = ANY (ARRAY['expiring'::text, 'ended'::text])))
);

ALTER TABLE ONLY public.connection FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.connection IS 'Tokens are encrypted with AES-256-GCM; the key is not in the database.';

COMMENT ON COLUMN public.connection.broken_at IS 'Since when the authority takes the refresh token no more, so that the owner has to log in again.';

COMMENT ON COLUMN public.connection.warned IS 'What the log has been told of its state, so that it is told once.';

CREATE TABLE public.connection_request (
    business_id uuid NOT NULL,
    state_hash bytea NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    failure text,
    CONSTRAINT connection_request_failure_check CHECK (((failure IS NULL) OR (used_at IS NOT NULL)))
);

ALTER TABLE ONLY public.connection_request FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.connection_request IS 'The address at the authority that an owner was given last, until it has led to a connection.';

COMMENT ON COLUMN public.connection_request.state_hash IS 'SHA-256 of the state in the address, which alone may complete it, once.';

CREATE TABLE public.dead_letter (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    consumer text NOT NULL,
    message_id uuid NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    reason text NOT NULL,
    attempts integer NOT NULL,
    given_up_at timestamp with time zone DEFAULT now() NOT NULL,
    request_id text,
    trace json
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
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    sent_at timestamp with time zone,
    trace json
);

ALTER TABLE public.outbox ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.sweep (
    consumer text NOT NULL,
    "position" bigint NOT NULL
);

CREATE TABLE public.sweep_try (
    consumer text NOT NULL,
    message_id uuid NOT NULL,
    tries integer NOT NULL,
    first_tried_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.allocation
    ADD CONSTRAINT allocation_confirmation_number_key UNIQUE (confirmation_number);

ALTER TABLE ONLY public.allocation
    ADD CONSTRAINT allocation_pkey PRIMARY KEY (business_id, document_id);

ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.connection_request
    ADD CONSTRAINT connection_request_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.connection_request
    ADD CONSTRAINT connection_request_state_hash_key UNIQUE (state_hash);

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

ALTER TABLE ONLY public.sweep
    ADD CONSTRAINT sweep_pkey PRIMARY KEY (consumer);

ALTER TABLE ONLY public.sweep_try
    ADD CONSTRAINT sweep_try_pkey PRIMARY KEY (consumer, message_id);

CREATE INDEX allocation_document_idx ON public.allocation USING btree (document_id);

CREATE INDEX allocation_due_idx ON public.allocation USING btree (attempts, next_attempt_at) WHERE (state = 'asking'::text);

CREATE INDEX allocation_given_up_idx ON public.allocation USING btree (business_id, decided_at) WHERE (state = ANY (ARRAY['refused'::text, 'given_up'::text]));

CREATE INDEX allocation_parked_idx ON public.allocation USING btree (decided_at, document_id) WHERE (state = 'given_up'::text);

CREATE INDEX allocation_waiting_idx ON public.allocation USING btree (business_id) WHERE waits_for_connection;

CREATE INDEX inbox_handled_idx ON public.inbox USING btree (handled_at);

CREATE INDEX outbox_sent_idx ON public.outbox USING btree (sent_at) WHERE (sent_at IS NOT NULL);

CREATE INDEX outbox_unsent_idx ON public.outbox USING btree ("position") WHERE (sent_at IS NULL);

ALTER TABLE public.allocation ENABLE ROW LEVEL SECURITY;

CREATE POLICY allocation_of_business ON public.allocation USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.connection ENABLE ROW LEVEL SECURITY;

CREATE POLICY connection_of_business ON public.connection USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.connection_request ENABLE ROW LEVEL SECURITY;

CREATE POLICY connection_request_of_business ON public.connection_request USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);
