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

CREATE TABLE public.dead_letter (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    consumer text NOT NULL,
    message_id uuid NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    request_id text,
    trace json,
    reason text NOT NULL,
    attempts integer NOT NULL,
    dead_lettered_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.due_event (
    consumer text NOT NULL,
    message_id uuid NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    request_id text,
    trace json,
    reason text,
    attempts integer NOT NULL,
    first_due_at timestamp with time zone DEFAULT now() NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    claimed_until timestamp with time zone
);

COMMENT ON TABLE public.due_event IS 'Events whose first attempt failed, or that a reconciler found missing, until they are handled or dead-lettered.';

COMMENT ON COLUMN public.due_event.reason IS 'Why the last attempt failed; null: none was made.';

CREATE TABLE public.inbox (
    consumer text NOT NULL,
    message_id uuid NOT NULL,
    handled_at timestamp with time zone DEFAULT now() NOT NULL
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

CREATE TABLE public.outbox_reader (
    consumer text NOT NULL,
    "position" bigint NOT NULL
);

COMMENT ON TABLE public.outbox_reader IS 'How far the consumers of this service''s events have read its outbox, as their reconcilers report it.';

CREATE TABLE public.reconcile_checkpoint (
    consumer text NOT NULL,
    "position" bigint NOT NULL,
    claimed_until timestamp with time zone NOT NULL
);

COMMENT ON COLUMN public.reconcile_checkpoint.claimed_until IS 'Until when no replica but the one that claimed it compares the consumer.';

ALTER TABLE ONLY public.audit_chain
    ADD CONSTRAINT audit_chain_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.audit_entry
    ADD CONSTRAINT audit_entry_pkey PRIMARY KEY (business_id, n);

ALTER TABLE ONLY public.dead_letter
    ADD CONSTRAINT dead_letter_event_key UNIQUE (consumer, message_id);

ALTER TABLE ONLY public.dead_letter
    ADD CONSTRAINT dead_letter_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.due_event
    ADD CONSTRAINT due_event_pkey PRIMARY KEY (consumer, message_id);

ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (consumer, message_id);

ALTER TABLE ONLY public.kit_migration_lock
    ADD CONSTRAINT kit_migration_lock_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.kit_migration
    ADD CONSTRAINT kit_migration_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_id_key UNIQUE (id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY ("position");

ALTER TABLE ONLY public.outbox_reader
    ADD CONSTRAINT outbox_reader_pkey PRIMARY KEY (consumer);

ALTER TABLE ONLY public.reconcile_checkpoint
    ADD CONSTRAINT reconcile_checkpoint_pkey PRIMARY KEY (consumer);

CREATE INDEX audit_entry_subject_idx ON public.audit_entry USING btree (business_id, subject, n);

CREATE INDEX due_event_next_idx ON public.due_event USING btree (next_attempt_at);

CREATE INDEX inbox_handled_idx ON public.inbox USING btree (handled_at);

CREATE INDEX outbox_sent_idx ON public.outbox USING btree (sent_at) WHERE (sent_at IS NOT NULL);

CREATE INDEX outbox_unsent_idx ON public.outbox USING btree ("position") WHERE (sent_at IS NULL);

CREATE TRIGGER audit_chain_is_append_only BEFORE DELETE ON public.audit_chain FOR EACH ROW EXECUTE FUNCTION public.audit_is_append_only();

CREATE TRIGGER audit_chain_truncate_is_rejected BEFORE TRUNCATE ON public.audit_chain FOR EACH STATEMENT EXECUTE FUNCTION public.audit_is_append_only();

CREATE TRIGGER audit_entry_is_append_only BEFORE DELETE OR UPDATE ON public.audit_entry FOR EACH ROW EXECUTE FUNCTION public.audit_is_append_only();

CREATE TRIGGER audit_entry_truncate_is_rejected BEFORE TRUNCATE ON public.audit_entry FOR EACH STATEMENT EXECUTE FUNCTION public.audit_is_append_only();

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
