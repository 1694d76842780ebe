CREATE TABLE public.attempt (
    business_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    n integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    outcome text,
    was_unknown boolean DEFAULT false NOT NULL,
    words text,
    provider_id text,
    CONSTRAINT attempt_ended_check CHECK (((outcome IS NULL) = (ended_at IS NULL))),
    CONSTRAINT attempt_n_check CHECK ((n >= 1)),
    CONSTRAINT attempt_outcome_check CHECK ((outcome = ANY (ARRAY['accepted'::text, 'temporary'::text, 'permanent'::text, 'unknown'::text]))),
    CONSTRAINT attempt_unknown_check CHECK (((outcome IS DISTINCT FROM 'unknown'::text) OR was_unknown))
);

ALTER TABLE ONLY public.attempt FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.attempt IS 'Written before a message is handed over, completed after. No second one begins while one is open.';

COMMENT ON COLUMN public.attempt.was_unknown IS 'Whether it was ever unknown if the provider took it; stays, also when its answer was learned later.';

CREATE TABLE public.cancelled (
    business_id uuid NOT NULL,
    document_id uuid NOT NULL,
    noted_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.cancelled FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.cancelled IS 'The documents of which nothing is handed over any more.';

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

CREATE TABLE public.delivery (
    business_id uuid NOT NULL,
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    channel text NOT NULL,
    purpose text NOT NULL,
    recipient text NOT NULL,
    state text NOT NULL,
    facts jsonb NOT NULL,
    message_id text NOT NULL,
    request_id text,
    not_before timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    unknown_outcomes integer DEFAULT 0 NOT NULL,
    first_attempt_at timestamp with time zone,
    next_attempt_at timestamp with time zone NOT NULL,
    claimed_until timestamp with time zone,
    last_error text,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    failed_at timestamp with time zone,
    withdrawn_at timestamp with time zone,
    withdrawn_reason text,
    resends integer DEFAULT 0 NOT NULL,
    trace json,
    CONSTRAINT delivery_attempts_check CHECK (((attempts >= 0) AND ((unknown_outcomes >= 0) AND (unknown_outcomes <= 2)))),
    CONSTRAINT delivery_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'whatsapp'::text]))),
    CONSTRAINT delivery_failed_check CHECK (((state = 'failed'::text) = (failed_at IS NOT NULL))),
    CONSTRAINT delivery_purpose_check CHECK ((purpose = ANY (ARRAY['customer'::text, 'accountant'::text]))),
    CONSTRAINT delivery_sending_check CHECK (((state <> 'sending'::text) OR (claimed_until IS NOT NULL))),
    CONSTRAINT delivery_sent_check CHECK (((state = 'sent'::text) = (sent_at IS NOT NULL))),
    CONSTRAINT delivery_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'ready'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'withdrawn'::text]))),
    CONSTRAINT delivery_withdrawn_check CHECK ((((state = 'withdrawn'::text) = (withdrawn_at IS NOT NULL)) AND ((withdrawn_at IS NULL) = (withdrawn_reason IS NULL))))
);

ALTER TABLE ONLY public.delivery FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.delivery.state IS 'waiting: for the final PDF; sending: handed to the provider, or about to be, until claimed_until; withdrawn: never to be sent.';

COMMENT ON COLUMN public.delivery.facts IS 'What the message says: enough to write it without asking anybody.';

COMMENT ON COLUMN public.delivery.attempts IS 'The tries since it was last made due by an operator, also those that never came to a provider.';

COMMENT ON COLUMN public.delivery.unknown_outcomes IS 'How often nobody knows whether the provider took it; after the first time it is sent once more, after the second never.';

COMMENT ON COLUMN public.delivery.resends IS 'How often an operator made it due again after it had failed.';

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

CREATE TABLE public.plan (
    business_id uuid NOT NULL,
    document_id uuid NOT NULL,
    status text NOT NULL,
    channel text,
    scheduled_for timestamp with time zone,
    planned_at timestamp with time zone NOT NULL,
    CONSTRAINT plan_scheduled_check CHECK (((status = 'deferred_quiet_hours'::text) = (scheduled_for IS NOT NULL))),
    CONSTRAINT plan_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'deferred_quiet_hours'::text, 'disabled'::text, 'suppressed'::text, 'no_recipient'::text, 'send_failed'::text])))
);

ALTER TABLE ONLY public.plan FORCE ROW LEVEL SECURITY;

CREATE TABLE public.rendered (
    business_id uuid NOT NULL,
    document_id uuid NOT NULL,
    revision integer NOT NULL,
    rendered_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.rendered FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.rendered IS 'The documents whose PDF is final, so that it may go to the customer.';

CREATE TABLE public.suppression (
    business_id uuid NOT NULL,
    channel text NOT NULL,
    address text NOT NULL,
    reason text NOT NULL,
    words text,
    since timestamp with time zone NOT NULL,
    CONSTRAINT suppression_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'whatsapp'::text]))),
    CONSTRAINT suppression_reason_check CHECK ((reason = ANY (ARRAY['bounced'::text, 'blocked'::text])))
);

ALTER TABLE ONLY public.suppression FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.suppression.address IS 'A mail address in lower case with its domain in ASCII, or a phone number in E.164.';

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

ALTER TABLE ONLY public.attempt
    ADD CONSTRAINT attempt_pkey PRIMARY KEY (business_id, delivery_id, n);

ALTER TABLE ONLY public.cancelled
    ADD CONSTRAINT cancelled_pkey PRIMARY KEY (business_id, document_id);

ALTER TABLE ONLY public.dead_letter
    ADD CONSTRAINT dead_letter_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.dead_letter
    ADD CONSTRAINT dead_letter_step_key UNIQUE (consumer, message_id);

ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (business_id, id);

ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_recipient_key UNIQUE (business_id, document_id, channel, purpose, recipient);

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

ALTER TABLE ONLY public.plan
    ADD CONSTRAINT plan_pkey PRIMARY KEY (business_id, document_id);

ALTER TABLE ONLY public.rendered
    ADD CONSTRAINT rendered_pkey PRIMARY KEY (business_id, document_id);

ALTER TABLE ONLY public.suppression
    ADD CONSTRAINT suppression_pkey PRIMARY KEY (business_id, channel, address);

ALTER TABLE ONLY public.sweep
    ADD CONSTRAINT sweep_pkey PRIMARY KEY (consumer);

ALTER TABLE ONLY public.sweep_try
    ADD CONSTRAINT sweep_try_pkey PRIMARY KEY (consumer, message_id);

CREATE UNIQUE INDEX attempt_open_key ON public.attempt USING btree (business_id, delivery_id) WHERE (outcome IS NULL);

CREATE INDEX delivery_due_idx ON public.delivery USING btree (channel, next_attempt_at) WHERE (state = 'ready'::text);

CREATE INDEX delivery_failed_idx ON public.delivery USING btree (business_id, failed_at) WHERE (state = 'failed'::text);

CREATE INDEX delivery_failures_idx ON public.delivery USING btree (failed_at, id) WHERE (state = 'failed'::text);

CREATE INDEX delivery_sending_idx ON public.delivery USING btree (claimed_until) WHERE (state = 'sending'::text);

CREATE INDEX inbox_handled_idx ON public.inbox USING btree (handled_at);

CREATE INDEX outbox_sent_idx ON public.outbox USING btree (sent_at) WHERE (sent_at IS NOT NULL);

CREATE INDEX outbox_unsent_idx ON public.outbox USING btree ("position") WHERE (sent_at IS NULL);

CREATE INDEX plan_document_idx ON public.plan USING btree (document_id);

ALTER TABLE ONLY public.attempt
    ADD CONSTRAINT attempt_delivery_fkey FOREIGN KEY (business_id, delivery_id) REFERENCES public.delivery(business_id, id);

ALTER TABLE public.attempt ENABLE ROW LEVEL SECURITY;

CREATE POLICY attempt_of_business ON public.attempt USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.cancelled ENABLE ROW LEVEL SECURITY;

CREATE POLICY cancelled_of_business ON public.cancelled USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.delivery ENABLE ROW LEVEL SECURITY;

CREATE POLICY delivery_of_business ON public.delivery USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.plan ENABLE ROW LEVEL SECURITY;

CREATE POLICY plan_of_business ON public.plan USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.rendered ENABLE ROW LEVEL SECURITY;

CREATE POLICY rendered_of_business ON public.rendered USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.suppression ENABLE ROW LEVEL SECURITY;

CREATE POLICY suppression_of_business ON public.suppression USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);
