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

CREATE FUNCTION public.reject_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'a live book is never emptied' using errcode = 'restrict_violation';
  end $$;

CREATE TABLE public.attempt (
    business_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    n integer NOT NULL,
    allocation_number text,
    report_cancelled boolean DEFAULT false NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    outcome text,
    was_unknown boolean DEFAULT false NOT NULL,
    provider_response text,
    provider_id text,
    not_deductible boolean DEFAULT false NOT NULL,
    failure text,
    server text,
    CONSTRAINT attempt_ended_check CHECK (((outcome IS NULL) = (ended_at IS NULL))),
    CONSTRAINT attempt_failure_check CHECK (((failure IS NULL) OR ((failure = ANY (ARRAY['unknown_address'::text, 'access_denied'::text, 'relay_denied'::text])) AND (outcome <> 'accepted'::text)))),
    CONSTRAINT attempt_n_check CHECK ((n >= 1)),
    CONSTRAINT attempt_outcome_check CHECK ((outcome = ANY (ARRAY['accepted'::text, 'temporary'::text, 'permanent'::text, 'unknown'::text]))),
    CONSTRAINT attempt_unknown_check CHECK (((outcome IS DISTINCT FROM 'unknown'::text) OR was_unknown))
);

ALTER TABLE ONLY public.attempt FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.attempt IS 'Inserted before a message is sent, completed afterwards; at most one of a message is open.';

COMMENT ON COLUMN public.attempt.allocation_number IS 'The allocation number that its PDF shows; null: it shows none.';

COMMENT ON COLUMN public.attempt.report_cancelled IS 'Whether its PDF says that the report of its donation was cancelled.';

COMMENT ON COLUMN public.attempt.was_unknown IS 'Whether the outcome was ever unknown; stays true when it is learned later.';

COMMENT ON COLUMN public.attempt.not_deductible IS 'Whether its PDF states that no input VAT is deducted by it.';

COMMENT ON COLUMN public.attempt.failure IS 'What the provider refused: the recipient as unknown, our account, or the recipient with words about the sender, the relay or access.';

COMMENT ON COLUMN public.attempt.server IS 'The mail server that answered; null: of another channel, a test book, or from before it was kept.';

CREATE TABLE public.daily_count (
    business_id uuid NOT NULL,
    counted_on date NOT NULL,
    messages integer NOT NULL,
    CONSTRAINT daily_count_messages_check CHECK ((messages >= 1))
);

ALTER TABLE ONLY public.daily_count FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.daily_count IS 'The messages whose first attempt began on a day in Israel.';

CREATE TABLE public.delivery (
    business_id uuid NOT NULL,
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    channel text NOT NULL,
    purpose text NOT NULL,
    recipient text NOT NULL,
    follows uuid,
    state text NOT NULL,
    facts jsonb NOT NULL,
    message_id text NOT NULL,
    request_id text,
    trace json,
    not_before timestamp with time zone,
    held_until timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    unknown_outcomes integer DEFAULT 0 NOT NULL,
    first_attempt_at timestamp with time zone,
    next_attempt_at timestamp with time zone NOT NULL,
    claimed_until timestamp with time zone,
    last_error text,
    resends integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    failed_at timestamp with time zone,
    withdrawn_at timestamp with time zone,
    withdrawn_reason text,
    requested boolean DEFAULT false NOT NULL,
    reminder jsonb,
    report_cancelled boolean DEFAULT false NOT NULL,
    CONSTRAINT delivery_attempts_check CHECK (((attempts >= 0) AND ((unknown_outcomes >= 0) AND (unknown_outcomes <= 2)))),
    CONSTRAINT delivery_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'whatsapp'::text]))),
    CONSTRAINT delivery_failed_check CHECK (((state = 'failed'::text) = (failed_at IS NOT NULL))),
    CONSTRAINT delivery_purpose_check CHECK ((purpose = ANY (ARRAY['customer'::text, 'accountant'::text]))),
    CONSTRAINT delivery_reminder_check CHECK (((reminder IS NULL) OR ((channel = 'email'::text) AND (purpose = 'customer'::text) AND requested))),
    CONSTRAINT delivery_report_cancelled_check CHECK (((NOT report_cancelled) OR (follows IS NOT NULL))),
    CONSTRAINT delivery_sending_check CHECK (((state <> 'sending'::text) OR (claimed_until IS NOT NULL))),
    CONSTRAINT delivery_sent_check CHECK (((state = 'sent'::text) = (sent_at IS NOT NULL))),
    CONSTRAINT delivery_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'ready'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'withdrawn'::text]))),
    CONSTRAINT delivery_withdrawn_check CHECK ((((state = 'withdrawn'::text) = (withdrawn_at IS NOT NULL)) AND ((withdrawn_at IS NULL) = (withdrawn_reason IS NULL))))
);

ALTER TABLE ONLY public.delivery FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.delivery.follows IS 'The message, sent without the allocation number, that this one follows with the number; null: it follows none.';

COMMENT ON COLUMN public.delivery.state IS 'waiting: for the final PDF; sending: a send attempt is in flight until claimed_until; withdrawn: never sent.';

COMMENT ON COLUMN public.delivery.facts IS 'What the message says; enough to compose it without another service.';

COMMENT ON COLUMN public.delivery.held_until IS 'Until when it waits, or has waited, for the allocation number; null: it does not wait, or the wait has ended early.';

COMMENT ON COLUMN public.delivery.attempts IS 'Attempts since an operator last made it due, including those that never reached a provider.';

COMMENT ON COLUMN public.delivery.unknown_outcomes IS 'Attempts of which it is unknown whether the provider accepted the message; after the first it is sent once more, after the second never.';

COMMENT ON COLUMN public.delivery.resends IS 'How often an operator made it due again after it had failed.';

COMMENT ON COLUMN public.delivery.requested IS 'Whether a person asked for it, beside what was planned at issue.';

COMMENT ON COLUMN public.delivery.reminder IS 'What an email that reminds a customer of open documents says, and of which; null: the message brings its document.';

COMMENT ON COLUMN public.delivery.report_cancelled IS 'Whether it follows with news, and not with a number: that the report of its donation was cancelled, or that no input VAT is deducted by its invoice.';

CREATE TABLE public.document (
    business_id uuid NOT NULL,
    document_id uuid NOT NULL,
    hold_until timestamp with time zone,
    revision integer,
    allocation_number text,
    allocation_pending boolean DEFAULT false NOT NULL,
    report_cancelled boolean DEFAULT false NOT NULL,
    cancelled_at timestamp with time zone,
    not_deductible boolean DEFAULT false NOT NULL,
    CONSTRAINT document_allocation_check CHECK (((revision IS NOT NULL) OR ((allocation_number IS NULL) AND (NOT allocation_pending) AND (NOT report_cancelled))))
);

ALTER TABLE ONLY public.document FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.document IS 'The documents that have messages, or may get some: their events come in any order. Its lock orders them with send attempts.';

COMMENT ON COLUMN public.document.hold_until IS 'Until when messages wait for an allocation number that is being obtained; null: none is planned.';

COMMENT ON COLUMN public.document.revision IS 'The latest PDF that is final, so that it may go to the customer; null: none is.';

COMMENT ON COLUMN public.document.allocation_pending IS 'Whether the allocation number is still being obtained; never true again after it was false.';

COMMENT ON COLUMN public.document.report_cancelled IS 'Whether the report of its donation was cancelled.';

COMMENT ON COLUMN public.document.cancelled_at IS 'From then on nothing is sent; null: it is not cancelled.';

COMMENT ON COLUMN public.document.not_deductible IS 'Whether its final PDF states that no input VAT is deducted by it; a number that comes later makes that out of date.';

CREATE TABLE public.event (
    business_id uuid NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    document_id uuid,
    sequence bigint,
    "position" bigint,
    body text NOT NULL,
    stored_at timestamp with time zone NOT NULL,
    CONSTRAINT event_position_check CHECK (("position" >= 1))
);

ALTER TABLE ONLY public.event FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.event.sequence IS 'Its number in the order of commits of issuing; null: another service has published it.';

COMMENT ON COLUMN public.event."position" IS 'In the list of the book; null: an event that was committed before it has not arrived yet.';

COMMENT ON COLUMN public.event.body IS 'What webhooks send and the list has.';

CREATE TABLE public.event_book (
    business_id uuid NOT NULL,
    last_position bigint DEFAULT 0 NOT NULL,
    last_sequence bigint DEFAULT 0 NOT NULL,
    unlisted bigint DEFAULT 0 NOT NULL,
    CONSTRAINT event_book_positions_check CHECK (((last_position >= 0) AND (last_sequence >= 0)))
);

ALTER TABLE ONLY public.event_book FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.event_book IS 'The end of the list of events of a book. Its lock orders what is added.';

COMMENT ON COLUMN public.event_book.last_sequence IS 'The number that issuing gave to the last of its events that are listed: the next one is listed after it.';

COMMENT ON COLUMN public.event_book.unlisted IS 'How many events have no position: kept here, since a statement that waits for the lock has not seen their rows.';

CREATE TABLE public.reminder_limit (
    business_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    reminded_at timestamp with time zone,
    delivery_id uuid
);

ALTER TABLE ONLY public.reminder_limit FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.reminder_limit IS 'When a customer, or a document, was last reminded of; its upsert refuses another reminder within three days.';

COMMENT ON COLUMN public.reminder_limit.reminded_at IS 'When the last reminder left, or may have left; null: none has.';

COMMENT ON COLUMN public.reminder_limit.delivery_id IS 'The reminder that has not ended yet; null: there is none.';

CREATE TABLE public.statement_file (
    business_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    pdf bytea,
    sha256 bytea,
    CONSTRAINT statement_file_pdf_check CHECK (((pdf IS NOT NULL) OR (sha256 IS NOT NULL)))
);

ALTER TABLE ONLY public.statement_file FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.statement_file IS 'The PDF that the message of a statement carries.';

COMMENT ON COLUMN public.statement_file.sha256 IS 'Of the file, once its bytes are gone.';

CREATE TABLE public.suppression (
    business_id uuid NOT NULL,
    channel text NOT NULL,
    address text NOT NULL,
    reason text NOT NULL,
    detail text,
    since timestamp with time zone NOT NULL,
    confirmed boolean DEFAULT false NOT NULL,
    CONSTRAINT suppression_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'whatsapp'::text]))),
    CONSTRAINT suppression_reason_check CHECK ((reason = ANY (ARRAY['bounced'::text, 'blocked'::text])))
);

ALTER TABLE ONLY public.suppression FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.suppression.address IS 'An email address in lower case with its domain in ASCII, or a phone number in E.164.';

COMMENT ON COLUMN public.suppression.confirmed IS 'Whether the mail server took messages for others between two refusals of this address.';

CREATE TABLE public.test_message (
    business_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    document_id uuid NOT NULL,
    channel text NOT NULL,
    purpose text NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    pdf_sha256 bytea NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    CONSTRAINT test_message_business_check CHECK (public.is_test_book(business_id)),
    CONSTRAINT test_message_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'whatsapp'::text]))),
    CONSTRAINT test_message_purpose_check CHECK ((purpose = ANY (ARRAY['customer'::text, 'accountant'::text])))
);

ALTER TABLE ONLY public.test_message FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.test_message IS 'The messages of test books: what would have been given to a provider.';

COMMENT ON COLUMN public.test_message.body IS 'The text of an email, or the JSON of a WhatsApp message.';

CREATE TABLE public.webhook (
    business_id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    event_id uuid NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    earlier_attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    claimed_until timestamp with time zone,
    CONSTRAINT webhook_attempts_check CHECK (((attempts >= earlier_attempts) AND (earlier_attempts >= 0))),
    CONSTRAINT webhook_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'received'::text, 'given_up'::text])))
);

ALTER TABLE ONLY public.webhook FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.webhook IS 'An event for an endpoint.';

COMMENT ON COLUMN public.webhook.earlier_attempts IS 'Those before it was last made due by a person.';

CREATE TABLE public.webhook_attempt (
    business_id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    event_id uuid NOT NULL,
    n integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    received boolean NOT NULL,
    status integer,
    reason text,
    response text NOT NULL,
    CONSTRAINT webhook_attempt_reason_check CHECK ((received = (reason IS NULL)))
);

ALTER TABLE ONLY public.webhook_attempt FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_endpoint (
    business_id uuid NOT NULL,
    id uuid NOT NULL,
    url text NOT NULL,
    types text[],
    description text,
    enabled boolean DEFAULT true NOT NULL,
    disabled_reason text,
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_secret_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    removed_at timestamp with time zone,
    failing_since timestamp with time zone,
    last_received_at timestamp with time zone,
    last_failed_at timestamp with time zone,
    last_failure text,
    notices integer DEFAULT 0 NOT NULL,
    notice_claimed_until timestamp with time zone,
    answered_on date,
    answer_bytes integer DEFAULT 0 NOT NULL,
    CONSTRAINT webhook_endpoint_enabled_check CHECK ((enabled = (disabled_reason IS NULL))),
    CONSTRAINT webhook_endpoint_failure_check CHECK (((last_failed_at IS NULL) = (last_failure IS NULL))),
    CONSTRAINT webhook_endpoint_notices_check CHECK (((notices >= 0) AND (notices <= 2))),
    CONSTRAINT webhook_endpoint_previous_check CHECK (((previous_secret IS NULL) = (previous_secret_until IS NULL))),
    CONSTRAINT webhook_endpoint_reason_check CHECK ((disabled_reason = ANY (ARRAY['owner'::text, 'gone'::text, 'failing'::text])))
);

ALTER TABLE ONLY public.webhook_endpoint FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.webhook_endpoint.types IS 'Null: all.';

COMMENT ON COLUMN public.webhook_endpoint.secret IS 'Encrypted; the one before it signs as well until previous_secret_until.';

COMMENT ON COLUMN public.webhook_endpoint.removed_at IS 'From then on it does not exist; what is left of it is deleted in parts.';

COMMENT ON COLUMN public.webhook_endpoint.notices IS 'The emails to the owner about it since it last received: 1, that it fails for a day; 2, that it was disabled.';

COMMENT ON COLUMN public.webhook_endpoint.answer_bytes IS 'What the log has stored of its answers on the day answered_on: beyond a limit it stores none.';

ALTER TABLE ONLY public.attempt
    ADD CONSTRAINT attempt_pkey PRIMARY KEY (business_id, delivery_id, n);

ALTER TABLE ONLY public.daily_count
    ADD CONSTRAINT daily_count_pkey PRIMARY KEY (business_id, counted_on);

ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_follows_key UNIQUE (business_id, follows, report_cancelled);

ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (business_id, id);

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (business_id, document_id);

ALTER TABLE ONLY public.event_book
    ADD CONSTRAINT event_book_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (business_id, id);

ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_position_key UNIQUE (business_id, "position");

ALTER TABLE ONLY public.reminder_limit
    ADD CONSTRAINT reminder_limit_pkey PRIMARY KEY (business_id, subject_id);

ALTER TABLE ONLY public.statement_file
    ADD CONSTRAINT statement_file_pkey PRIMARY KEY (business_id, delivery_id);

ALTER TABLE ONLY public.suppression
    ADD CONSTRAINT suppression_pkey PRIMARY KEY (business_id, channel, address);

ALTER TABLE ONLY public.test_message
    ADD CONSTRAINT test_message_pkey PRIMARY KEY (business_id, delivery_id);

ALTER TABLE ONLY public.webhook_attempt
    ADD CONSTRAINT webhook_attempt_pkey PRIMARY KEY (business_id, endpoint_id, event_id, n);

ALTER TABLE ONLY public.webhook_endpoint
    ADD CONSTRAINT webhook_endpoint_pkey PRIMARY KEY (business_id, id);

ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_pkey PRIMARY KEY (business_id, endpoint_id, event_id);

CREATE INDEX attempt_accepted_idx ON public.attempt USING btree (ended_at) WHERE (outcome = 'accepted'::text);

CREATE INDEX attempt_failure_idx ON public.attempt USING btree (ended_at) WHERE (failure IS NOT NULL);

CREATE UNIQUE INDEX attempt_open_key ON public.attempt USING btree (business_id, delivery_id) WHERE (outcome IS NULL);

CREATE INDEX delivery_document_idx ON public.delivery USING btree (business_id, document_id);

CREATE INDEX delivery_due_idx ON public.delivery USING btree (channel, next_attempt_at) WHERE (state = 'ready'::text);

CREATE INDEX delivery_failed_idx ON public.delivery USING btree (business_id, failed_at) WHERE (state = 'failed'::text);

CREATE INDEX delivery_failures_idx ON public.delivery USING btree (failed_at, id) WHERE (state = 'failed'::text);

CREATE UNIQUE INDEX delivery_planned_key ON public.delivery USING btree (business_id, document_id, channel, purpose, recipient) WHERE ((follows IS NULL) AND (NOT requested));

CREATE INDEX delivery_sending_idx ON public.delivery USING btree (claimed_until) WHERE (state = 'sending'::text);

CREATE INDEX document_document_idx ON public.document USING btree (document_id);

CREATE INDEX event_document_idx ON public.event USING btree (business_id, document_id, "position");

CREATE INDEX event_stored_idx ON public.event USING btree (stored_at);

CREATE INDEX event_type_idx ON public.event USING btree (business_id, type, "position");

CREATE INDEX event_unlisted_idx ON public.event USING btree (business_id, sequence) WHERE ("position" IS NULL);

CREATE INDEX statement_file_kept_idx ON public.statement_file USING btree (business_id, delivery_id) WHERE (pdf IS NOT NULL);

CREATE INDEX test_message_sent_idx ON public.test_message USING btree (business_id, sent_at, delivery_id);

CREATE INDEX webhook_attempt_age_idx ON public.webhook_attempt USING btree (started_at);

CREATE INDEX webhook_attempt_started_idx ON public.webhook_attempt USING btree (business_id, endpoint_id, started_at, event_id, n);

CREATE INDEX webhook_claimed_idx ON public.webhook USING btree (claimed_until) WHERE (claimed_until IS NOT NULL);

CREATE INDEX webhook_due_idx ON public.webhook USING btree (business_id, endpoint_id, next_attempt_at) WHERE (state = 'pending'::text);

CREATE INDEX webhook_endpoint_failing_idx ON public.webhook_endpoint USING btree (failing_since) WHERE ((failing_since IS NOT NULL) AND (notices < 2));

CREATE INDEX webhook_endpoint_id_idx ON public.webhook_endpoint USING btree (id);

CREATE INDEX webhook_event_idx ON public.webhook USING btree (business_id, event_id);

CREATE TRIGGER attempt_is_not_truncated BEFORE TRUNCATE ON public.attempt FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER attempt_keeps_live_rows BEFORE DELETE ON public.attempt FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER delivery_is_not_truncated BEFORE TRUNCATE ON public.delivery FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER delivery_keeps_live_rows BEFORE DELETE ON public.delivery FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER document_is_not_truncated BEFORE TRUNCATE ON public.document FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER document_keeps_live_rows BEFORE DELETE ON public.document FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER reminder_limit_is_not_truncated BEFORE TRUNCATE ON public.reminder_limit FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER reminder_limit_keeps_live_rows BEFORE DELETE ON public.reminder_limit FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER statement_file_is_not_truncated BEFORE TRUNCATE ON public.statement_file FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER statement_file_keeps_live_rows BEFORE DELETE ON public.statement_file FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

ALTER TABLE ONLY public.attempt
    ADD CONSTRAINT attempt_delivery_fkey FOREIGN KEY (business_id, delivery_id) REFERENCES public.delivery(business_id, id);

ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_follows_fkey FOREIGN KEY (business_id, follows) REFERENCES public.delivery(business_id, id);

ALTER TABLE ONLY public.statement_file
    ADD CONSTRAINT statement_file_delivery_fkey FOREIGN KEY (business_id, delivery_id) REFERENCES public.delivery(business_id, id);

ALTER TABLE ONLY public.webhook_attempt
    ADD CONSTRAINT webhook_attempt_webhook_fkey FOREIGN KEY (business_id, endpoint_id, event_id) REFERENCES public.webhook(business_id, endpoint_id, event_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_endpoint_fkey FOREIGN KEY (business_id, endpoint_id) REFERENCES public.webhook_endpoint(business_id, id);

ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_event_fkey FOREIGN KEY (business_id, event_id) REFERENCES public.event(business_id, id) ON DELETE CASCADE;

ALTER TABLE public.attempt ENABLE ROW LEVEL SECURITY;

CREATE POLICY attempt_of_business ON public.attempt USING (
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

ALTER TABLE public.delivery ENABLE ROW LEVEL SECURITY;

CREATE POLICY delivery_of_business ON public.delivery USING (
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

ALTER TABLE public.event ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_book ENABLE ROW LEVEL SECURITY;

CREATE POLICY event_book_of_business ON public.event_book USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

CREATE POLICY event_of_business ON public.event USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.reminder_limit ENABLE ROW LEVEL SECURITY;

CREATE POLICY reminder_limit_of_business ON public.reminder_limit USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.statement_file ENABLE ROW LEVEL SECURITY;

CREATE POLICY statement_file_of_business ON public.statement_file USING (
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

ALTER TABLE public.test_message ENABLE ROW LEVEL SECURITY;

CREATE POLICY test_message_of_business ON public.test_message USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.webhook ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_attempt ENABLE ROW LEVEL SECURITY;

CREATE POLICY webhook_attempt_of_business ON public.webhook_attempt USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.webhook_endpoint ENABLE ROW LEVEL SECURITY;

CREATE POLICY webhook_endpoint_of_business ON public.webhook_endpoint USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

CREATE POLICY webhook_of_business ON public.webhook USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);
