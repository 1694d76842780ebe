CREATE FUNCTION public.attempt_is_final() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'an attempt that has ended is final' using errcode = 'restrict_violation';
  end $$;

CREATE FUNCTION public.decision_is_final() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'a decision that has ended is final' using errcode = 'restrict_violation';
  end $$;

CREATE FUNCTION public.donation_report_is_final() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    if new.amount <> old.amount or new.means <> old.means or new.tax_year <> old.tax_year
      or old.number is not null and new.number is distinct from old.number
      or old.cancellation_number is not null and new.cancellation_number is distinct from old.cancellation_number
    then
      raise exception 'a report and its numbers are final' using errcode = 'restrict_violation';
    end if;
    return new;
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

CREATE FUNCTION public.reject_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'a live book is never emptied' using errcode = 'restrict_violation';
  end $$;

CREATE TABLE public.allocation (
    business_id uuid NOT NULL,
    document_id uuid NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    reason text,
    number text,
    confirmation_number text,
    facts jsonb NOT NULL,
    answer text,
    request_id text,
    trace json,
    attempts integer DEFAULT 0 NOT NULL,
    earlier_attempts integer DEFAULT 0 NOT NULL,
    first_attempt_at timestamp with time zone,
    next_attempt_at timestamp with time zone,
    claimed_until timestamp with time zone,
    outcome_unknown boolean DEFAULT false NOT NULL,
    awaiting_connection boolean DEFAULT false NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    dead_lettered_at timestamp with time zone,
    refused_at timestamp with time zone,
    refusal_codes text[],
    refusal_message text,
    refusal_answer text,
    cancel_requested_at timestamp with time zone,
    cancel_reason text,
    request text,
    awaiting_operator boolean DEFAULT false NOT NULL,
    is_final boolean DEFAULT false NOT NULL,
    entered_at timestamp with time zone,
    entered_by text,
    CONSTRAINT allocation_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT allocation_cancel_check CHECK ((((cancel_requested_at IS NULL) = (cancel_reason IS NULL)) AND ((cancel_requested_at IS NULL) OR (kind = 'donation'::text)))),
    CONSTRAINT allocation_dead_lettered_check CHECK (((state = 'dead_lettered'::text) = (dead_lettered_at IS NOT NULL))),
    CONSTRAINT allocation_earlier_attempts_check CHECK (((earlier_attempts >= 0) AND (earlier_attempts <= attempts))),
    CONSTRAINT allocation_entered_check CHECK ((((entered_at IS NULL) = (entered_by IS NULL)) AND ((entered_at IS NULL) OR (state = 'issued'::text)))),
    CONSTRAINT allocation_issued_check CHECK (((((state = 'issued'::text) AND (kind = 'number'::text)) = (number IS NOT NULL)) AND ((number IS NULL) = (confirmation_number IS NULL)) AND ((number IS NULL) OR ("right"(confirmation_number, 9) = number)))),
    CONSTRAINT allocation_kind_check CHECK ((kind = ANY (ARRAY['number'::text, 'donation'::text]))),
    CONSTRAINT allocation_number_check CHECK ((number ~ '^[0-9]{9}$'::text)),
    CONSTRAINT allocation_pending_check CHECK (((state = 'pending'::text) = (next_attempt_at IS NOT NULL))),
    CONSTRAINT allocation_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'issued'::text, 'refused'::text, 'dead_lettered'::text])))
);

ALTER TABLE ONLY public.allocation FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.allocation IS 'What is requested of the tax authority for a document: an allocation number, or the report of a donation. No type needs both.';

COMMENT ON COLUMN public.allocation.kind IS 'A donation has its numbers in donation_report.';

COMMENT ON COLUMN public.allocation.confirmation_number IS 'The whole number of the tax authority; its rightmost nine digits are printed.';

COMMENT ON COLUMN public.allocation.facts IS 'The issued document and its business, for the request and for the event.';

COMMENT ON COLUMN public.allocation.answer IS 'The body of the authority''s last response.';

COMMENT ON COLUMN public.allocation.earlier_attempts IS 'How many attempts were made before an operator or a new connection restarted the retry schedule.';

COMMENT ON COLUMN public.allocation.outcome_unknown IS 'An attempt may have been granted unnoticed: the number is looked up before it is requested again.';

COMMENT ON COLUMN public.allocation.awaiting_connection IS 'The last attempt found no usable connection: it is due again when the owner has logged in.';

COMMENT ON COLUMN public.allocation.refused_at IS 'The last refusal, with its codes, message and response, is a legal event and stays when a number comes later.';

COMMENT ON COLUMN public.allocation.cancel_requested_at IS 'Since when the reports of the donation are to be cancelled: then state is about their cancellation.';

COMMENT ON COLUMN public.allocation.request IS 'The body as it was sent, which a repetition sends again; null before the first request, and after one that certainly brought nothing.';

COMMENT ON COLUMN public.allocation.awaiting_operator IS 'The authority does not accept the application, or it is at another address: the operator has to correct that.';

COMMENT ON COLUMN public.allocation.is_final IS 'No attempt can ever bring a number.';

COMMENT ON COLUMN public.allocation.entered_at IS 'When a person typed the number in; then confirmation_number is the number as well, since no more of it is known.';

CREATE TABLE public.attempt (
    business_id uuid NOT NULL,
    document_id uuid NOT NULL,
    n integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    outcome text,
    number text,
    reason text,
    refusal_codes text[],
    CONSTRAINT attempt_ended_check CHECK (((outcome IS NULL) = (ended_at IS NULL))),
    CONSTRAINT attempt_n_check CHECK ((n >= 1)),
    CONSTRAINT attempt_number_check CHECK (((number IS NULL) OR (NOT (outcome IS DISTINCT FROM 'granted'::text)))),
    CONSTRAINT attempt_outcome_check CHECK ((outcome = ANY (ARRAY['granted'::text, 'refused'::text, 'failed'::text, 'dead_lettered'::text])))
);

ALTER TABLE ONLY public.attempt FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.attempt IS 'Every attempt to obtain a number, inserted when its document is claimed and completed once: nothing replaces it.';

COMMENT ON COLUMN public.attempt.outcome IS 'dead_lettered: it failed, and no other followed automatically; null: in flight, or its process died.';

CREATE TABLE public.connection (
    business_id uuid NOT NULL,
    access_token bytea NOT NULL,
    access_expires_at timestamp with time zone NOT NULL,
    refresh_token bytea NOT NULL,
    refresh_expires_at timestamp with time zone,
    connected_at timestamp with time zone NOT NULL,
    refreshed_at timestamp with time zone NOT NULL,
    broken_at timestamp with time zone,
    warning text,
    user_id text,
    user_name text,
    CONSTRAINT connection_user_check CHECK (((user_id IS NULL) OR (user_name IS NULL))),
    CONSTRAINT connection_warning_check CHECK ((warning = ANY (ARRAY['expiring'::text, 'ended'::text])))
);

ALTER TABLE ONLY public.connection FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.connection IS 'Tokens are encrypted with AES-256-GCM; the key is not in the database.';

COMMENT ON COLUMN public.connection.broken_at IS 'When the authority rejected the refresh token; the owner has to log in again.';

COMMENT ON COLUMN public.connection.warning IS 'The last warning that was logged, so that it is logged once.';

COMMENT ON COLUMN public.connection.user_name IS 'Of the person who logged in, as requests name who issues; this or user_id.';

CREATE TABLE public.connection_request (
    business_id uuid NOT NULL,
    state_hash bytea NOT NULL,
    person_id uuid,
    return_url text,
    requested_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    failure text,
    user_id text,
    user_name text,
    CONSTRAINT connection_request_failure_check CHECK (((failure IS NULL) OR (used_at IS NOT NULL)))
);

ALTER TABLE ONLY public.connection_request FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.connection_request IS 'The authorization URL that an owner was given last, until it has led to a connection.';

COMMENT ON COLUMN public.connection_request.state_hash IS 'SHA-256 of the state in the URL, which alone may complete it, once.';

COMMENT ON COLUMN public.connection_request.person_id IS 'Who alone may complete it, at return_url; null: the operator, and the URL is enough.';

CREATE TABLE public.decision (
    business_id uuid NOT NULL,
    document_id uuid NOT NULL,
    n integer NOT NULL,
    decision text NOT NULL,
    state text NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    request_id text,
    trace json,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone,
    claimed_until timestamp with time zone,
    ended_at timestamp with time zone,
    reason text,
    answer text,
    unsent integer DEFAULT 0 NOT NULL,
    CONSTRAINT decision_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT decision_decision_check CHECK ((decision = ANY (ARRAY['continue'::text, 'cancel'::text, 'object'::text, 'reverse_charge'::text]))),
    CONSTRAINT decision_n_check CHECK ((n >= 1)),
    CONSTRAINT decision_pending_check CHECK ((((state = 'pending'::text) = (next_attempt_at IS NOT NULL)) AND ((state = 'pending'::text) = (ended_at IS NULL)))),
    CONSTRAINT decision_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'taken'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.decision FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.decision IS 'What an owner has decided about a refused number; stored before it is sent to the authority, and completed once.';

COMMENT ON COLUMN public.decision.state IS 'failed: the authority did not take it, and nothing is decided.';

COMMENT ON COLUMN public.decision.answer IS 'The body of the authority''s last response.';

COMMENT ON COLUMN public.decision.unsent IS 'How many of its attempts have certainly decided nothing at the authority; each other one may have.';

CREATE TABLE public.donation_report (
    business_id uuid NOT NULL,
    document_id uuid NOT NULL,
    n integer NOT NULL,
    means text NOT NULL,
    tax_year integer NOT NULL,
    amount numeric(14,2) NOT NULL,
    number text,
    answer text,
    cancellation_number text,
    cancellation_answer text,
    request text,
    CONSTRAINT donation_report_amount_check CHECK ((amount > (0)::numeric)),
    CONSTRAINT donation_report_answer_check CHECK ((((number IS NULL) = (answer IS NULL)) AND ((cancellation_number IS NULL) = (cancellation_answer IS NULL)))),
    CONSTRAINT donation_report_cancellation_check CHECK (((cancellation_number IS NULL) OR (number IS NOT NULL))),
    CONSTRAINT donation_report_n_check CHECK ((n >= 1))
);

ALTER TABLE ONLY public.donation_report FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.donation_report IS 'The reports of a donation, one for each means of payment; their sum is the total of the receipt.';

COMMENT ON COLUMN public.donation_report.request IS 'The body as it was sent; null: it has not arrived.';

CREATE TABLE public.job (
    business_id uuid,
    kind text NOT NULL,
    id text NOT NULL,
    since timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    claimed_until timestamp with time zone,
    claim_id uuid,
    reason text,
    dead_at timestamp with time zone,
    request_id text,
    trace json,
    CONSTRAINT job_claim_check CHECK (((claimed_until IS NULL) = (claim_id IS NULL))),
    CONSTRAINT job_dead_check CHECK (((dead_at IS NULL) OR ((reason IS NOT NULL) AND (claim_id IS NULL))))
);

ALTER TABLE ONLY public.job FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.job IS 'Slow work of this service, until it is done: one row for each piece, whatever its kind.';

COMMENT ON COLUMN public.job.business_id IS 'Null: it is about no business.';

COMMENT ON COLUMN public.job.id IS 'Of what it is about: unique in its kind and business.';

COMMENT ON COLUMN public.job.since IS 'When it was requested.';

COMMENT ON COLUMN public.job.attempts IS 'Attempts that have begun.';

COMMENT ON COLUMN public.job.claim_id IS 'Of the attempt that is in flight: no other stores an outcome.';

COMMENT ON COLUMN public.job.reason IS 'Why the last attempt failed.';

COMMENT ON COLUMN public.job.dead_at IS 'When it was dead-lettered; null: it is due, or in flight.';

CREATE TABLE public.threshold_answer (
    day date NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    net numeric(11,2)
);

COMMENT ON COLUMN public.threshold_answer.asked_at IS 'The last attempt of the day, which keeps other replicas from another.';

COMMENT ON COLUMN public.threshold_answer.net IS 'ILS; null: the authority has not named it on that day.';

ALTER TABLE ONLY public.allocation
    ADD CONSTRAINT allocation_confirmation_number_key UNIQUE (confirmation_number);

ALTER TABLE ONLY public.allocation
    ADD CONSTRAINT allocation_pkey PRIMARY KEY (business_id, document_id);

ALTER TABLE ONLY public.attempt
    ADD CONSTRAINT attempt_pkey PRIMARY KEY (business_id, document_id, n);

ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.connection_request
    ADD CONSTRAINT connection_request_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.connection_request
    ADD CONSTRAINT connection_request_state_hash_key UNIQUE (state_hash);

ALTER TABLE ONLY public.decision
    ADD CONSTRAINT decision_pkey PRIMARY KEY (business_id, document_id, n);

ALTER TABLE ONLY public.donation_report
    ADD CONSTRAINT donation_report_number_key UNIQUE (business_id, number);

ALTER TABLE ONLY public.donation_report
    ADD CONSTRAINT donation_report_pkey PRIMARY KEY (business_id, document_id, n);

ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_key UNIQUE NULLS NOT DISTINCT (kind, id, business_id);

ALTER TABLE ONLY public.threshold_answer
    ADD CONSTRAINT threshold_answer_pkey PRIMARY KEY (day);

CREATE INDEX allocation_awaiting_connection_idx ON public.allocation USING btree (business_id) WHERE awaiting_connection;

CREATE INDEX allocation_awaiting_operator_idx ON public.allocation USING btree (kind) WHERE awaiting_operator;

CREATE INDEX allocation_claimed_idx ON public.allocation USING btree (claimed_until) WHERE ((state = 'pending'::text) AND (claimed_until IS NOT NULL));

CREATE INDEX allocation_dead_lettered_idx ON public.allocation USING btree (decided_at, document_id) WHERE (state = 'dead_lettered'::text);

CREATE INDEX allocation_document_idx ON public.allocation USING btree (document_id);

CREATE INDEX allocation_due_idx ON public.allocation USING btree (attempts, next_attempt_at) WHERE (state = 'pending'::text);

CREATE INDEX allocation_next_attempt_idx ON public.allocation USING btree (next_attempt_at) WHERE (state = 'pending'::text);

CREATE INDEX allocation_number_idx ON public.allocation USING btree (business_id, number) WHERE (number IS NOT NULL);

CREATE INDEX allocation_unresolved_idx ON public.allocation USING btree (business_id, COALESCE(dead_lettered_at, refused_at), document_id) WHERE (state = ANY (ARRAY['refused'::text, 'dead_lettered'::text]));

CREATE INDEX decision_due_idx ON public.decision USING btree (next_attempt_at) WHERE (state = 'pending'::text);

CREATE UNIQUE INDEX decision_pending_key ON public.decision USING btree (business_id, document_id) WHERE (state = 'pending'::text);

CREATE INDEX job_due_idx ON public.job USING btree (kind, due_at) WHERE (dead_at IS NULL);

CREATE TRIGGER allocation_is_not_truncated BEFORE TRUNCATE ON public.allocation FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER allocation_keeps_live_rows BEFORE DELETE ON public.allocation FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER attempt_is_final BEFORE UPDATE ON public.attempt FOR EACH ROW WHEN ((old.ended_at IS NOT NULL)) EXECUTE FUNCTION public.attempt_is_final();

CREATE TRIGGER attempt_is_not_truncated BEFORE TRUNCATE ON public.attempt FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER attempt_keeps_live_rows BEFORE DELETE ON public.attempt FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER decision_is_final BEFORE UPDATE ON public.decision FOR EACH ROW WHEN ((old.ended_at IS NOT NULL)) EXECUTE FUNCTION public.decision_is_final();

CREATE TRIGGER decision_is_not_truncated BEFORE TRUNCATE ON public.decision FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER decision_keeps_live_rows BEFORE DELETE ON public.decision FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER donation_report_is_final BEFORE UPDATE ON public.donation_report FOR EACH ROW EXECUTE FUNCTION public.donation_report_is_final();

CREATE TRIGGER donation_report_is_not_truncated BEFORE TRUNCATE ON public.donation_report FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER donation_report_keeps_live_rows BEFORE DELETE ON public.donation_report FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

ALTER TABLE ONLY public.attempt
    ADD CONSTRAINT attempt_allocation_fkey FOREIGN KEY (business_id, document_id) REFERENCES public.allocation(business_id, document_id);

ALTER TABLE ONLY public.decision
    ADD CONSTRAINT decision_allocation_fkey FOREIGN KEY (business_id, document_id) REFERENCES public.allocation(business_id, document_id);

ALTER TABLE ONLY public.donation_report
    ADD CONSTRAINT donation_report_allocation_fkey FOREIGN KEY (business_id, document_id) REFERENCES public.allocation(business_id, document_id);

ALTER TABLE public.allocation ENABLE ROW LEVEL SECURITY;

CREATE POLICY allocation_of_business ON public.allocation USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.attempt ENABLE ROW LEVEL SECURITY;

CREATE POLICY attempt_of_business ON public.attempt USING (
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

ALTER TABLE public.decision ENABLE ROW LEVEL SECURITY;

CREATE POLICY decision_of_business ON public.decision USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.donation_report ENABLE ROW LEVEL SECURITY;

CREATE POLICY donation_report_of_business ON public.donation_report USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.job ENABLE ROW LEVEL SECURITY;

CREATE POLICY job_of_business ON public.job USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);
