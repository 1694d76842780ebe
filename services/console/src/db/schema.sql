CREATE TABLE public.accountant_package (
    business_id uuid NOT NULL,
    month date NOT NULL,
    recipient_id uuid NOT NULL,
    set_by uuid NOT NULL,
    state text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    failure text,
    months integer DEFAULT 1 NOT NULL,
    CONSTRAINT accountant_package_ended_check CHECK (((ended_at IS NULL) = (state = 'preparing'::text))),
    CONSTRAINT accountant_package_failure_check CHECK (((failure IS NOT NULL) = (state = 'failed'::text))),
    CONSTRAINT accountant_package_months_check CHECK ((months = ANY (ARRAY[1, 2]))),
    CONSTRAINT accountant_package_state_check CHECK ((state = ANY (ARRAY['preparing'::text, 'sent'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.accountant_package FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.accountant_package.months IS 'How many months the files are of.';

CREATE TABLE public.accountant_schedule (
    business_id uuid NOT NULL,
    day_of_month integer NOT NULL,
    recipient_id uuid NOT NULL,
    set_by uuid NOT NULL,
    first_month date NOT NULL,
    months integer DEFAULT 1 NOT NULL,
    CONSTRAINT accountant_schedule_day_check CHECK (((day_of_month >= 1) AND (day_of_month <= 28))),
    CONSTRAINT accountant_schedule_months_check CHECK ((months = ANY (ARRAY[1, 2])))
);

ALTER TABLE ONLY public.accountant_schedule FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.accountant_schedule.months IS 'One; or two, as VAT is reported in: January and February, and so on.';

CREATE TABLE public.attempt_count (
    kind text NOT NULL,
    bucket integer NOT NULL,
    attempts integer NOT NULL,
    ends_at timestamp with time zone NOT NULL
);

CREATE TABLE public.book_check (
    business_id uuid NOT NULL,
    due_at timestamp with time zone NOT NULL,
    claimed_until timestamp with time zone,
    round_began_at timestamp with time zone,
    mark json,
    round_documents integer DEFAULT 0 NOT NULL,
    round_findings json,
    completed_at timestamp with time zone,
    completed_since timestamp with time zone,
    documents integer DEFAULT 0 NOT NULL,
    findings json,
    failed_at timestamp with time zone,
    CONSTRAINT book_check_completed_check CHECK (((completed_at IS NULL) = (completed_since IS NULL))),
    CONSTRAINT book_check_mark_check CHECK (((mark IS NULL) OR (round_began_at IS NOT NULL)))
);

ALTER TABLE ONLY public.book_check FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.book_check.mark IS 'Where the next part of the round begins; null: at the first document.';

COMMENT ON COLUMN public.book_check.round_findings IS 'What the parts of the round have found so far.';

COMMENT ON COLUMN public.book_check.completed_since IS 'When the round that was completed last began.';

COMMENT ON COLUMN public.book_check.documents IS 'How many documents that round has checked.';

COMMENT ON COLUMN public.book_check.findings IS 'What it has found.';

COMMENT ON COLUMN public.book_check.failed_at IS 'When an attempt failed that no completed round follows; null: none did.';

CREATE TABLE public.ceremony (
    challenge_hash bytea NOT NULL,
    kind text NOT NULL,
    browser_hash bytea NOT NULL,
    person_id uuid,
    nonce text,
    code_verifier text,
    next_path text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT ceremony_kind_check CHECK ((kind = ANY (ARRAY['oidc'::text, 'passkey'::text, 'new_passkey'::text])))
);

CREATE TABLE public.dismissed_row (
    business_id uuid NOT NULL,
    row_hash text NOT NULL,
    dismissed_by uuid NOT NULL,
    dismissed_at timestamp with time zone NOT NULL,
    CONSTRAINT dismissed_row_hash_check CHECK ((octet_length(row_hash) <= 64))
);

ALTER TABLE ONLY public.dismissed_row FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.dismissed_row.row_hash IS 'Of what the row is about and when that happened, or how much it came to.';

CREATE TABLE public.dismissed_steps (
    business_id uuid NOT NULL,
    dismissed_by uuid NOT NULL,
    dismissed_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.dismissed_steps FORCE ROW LEVEL SECURITY;

CREATE TABLE public.draft (
    business_id uuid NOT NULL,
    person_id uuid NOT NULL,
    id uuid NOT NULL,
    path text NOT NULL,
    fields json NOT NULL,
    document_id uuid,
    saved_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT draft_fields_check CHECK ((octet_length((fields)::text) <= 2097152))
);

ALTER TABLE ONLY public.draft FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.draft.id IS 'Of a document: the idempotency key with which it is issued.';

COMMENT ON COLUMN public.draft.path IS 'Where the form is sent; another one in the test book.';

COMMENT ON COLUMN public.draft.fields IS 'Names and values in their order.';

COMMENT ON COLUMN public.draft.document_id IS 'The document that was issued from it, and then it has no fields; null: none was.';

CREATE TABLE public.due_notice (
    id uuid NOT NULL,
    kind text NOT NULL,
    email text NOT NULL,
    browser_hash bytea,
    business_id uuid,
    left_email text,
    next_path text NOT NULL,
    language text NOT NULL,
    request_id text,
    requested_at timestamp with time zone NOT NULL,
    attempts integer NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    claimed_until timestamp with time zone,
    package_month date,
    package_months integer DEFAULT 1 NOT NULL,
    CONSTRAINT due_notice_business_check CHECK (((kind = 'sign_in'::text) = (business_id IS NULL))),
    CONSTRAINT due_notice_kind_check CHECK ((kind = ANY (ARRAY['sign_in'::text, 'invitation'::text, 'departure'::text, 'package'::text, 'package_failed'::text]))),
    CONSTRAINT due_notice_left_check CHECK (((kind = 'departure'::text) = (left_email IS NOT NULL))),
    CONSTRAINT due_notice_package_check CHECK (((kind = ANY (ARRAY['package'::text, 'package_failed'::text])) = (package_month IS NOT NULL)))
);

ALTER TABLE ONLY public.due_notice FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.due_notice.package_months IS 'How many months the accountant''s files are of.';

CREATE TABLE public.export_chunk (
    business_id uuid NOT NULL,
    export_id uuid NOT NULL,
    "position" integer NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY public.export_chunk ALTER COLUMN bytes SET STORAGE EXTERNAL;

ALTER TABLE ONLY public.export_chunk FORCE ROW LEVEL SECURITY;

CREATE TABLE public.export_job (
    business_id uuid NOT NULL,
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    format text NOT NULL,
    selection json,
    book_id uuid,
    package_month date,
    charset text,
    first_date date NOT NULL,
    last_date date NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    next_attempt_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    claimed_until timestamp with time zone,
    claim_id uuid,
    recorded_at timestamp with time zone,
    documents integer DEFAULT 0 NOT NULL,
    documents_total integer,
    failure text,
    error text,
    file_name text,
    media_type text,
    size_bytes bigint,
    missing_pdf_count integer DEFAULT 0 NOT NULL,
    missing_pdfs text[] DEFAULT '{}'::text[] NOT NULL,
    ended_at timestamp with time zone,
    expires_at timestamp with time zone,
    request_id text,
    trace json,
    vat_detail json,
    package_months integer DEFAULT 1 NOT NULL,
    drive text,
    run_report json,
    CONSTRAINT export_job_charset_check CHECK (((charset IS NOT NULL) = (format = 'uniform'::text))),
    CONSTRAINT export_job_claim_check CHECK (((claimed_until IS NOT NULL) = (state = 'running'::text))),
    CONSTRAINT export_job_dates_check CHECK ((first_date <= last_date)),
    CONSTRAINT export_job_drive_check CHECK (((drive IS NULL) OR ((format = 'uniform'::text) AND (drive ~ '^[A-Z]$'::text)))),
    CONSTRAINT export_job_due_check CHECK (((next_attempt_at IS NOT NULL) = (state = ANY (ARRAY['queued'::text, 'running'::text])))),
    CONSTRAINT export_job_failure_check CHECK (((failure IS NOT NULL) = (state = 'failed'::text))),
    CONSTRAINT export_job_file_check CHECK ((((file_name IS NOT NULL) AND (media_type IS NOT NULL) AND (size_bytes IS NOT NULL) AND (expires_at IS NOT NULL)) = (state = ANY (ARRAY['done'::text, 'expired'::text])))),
    CONSTRAINT export_job_format_check CHECK ((format = ANY (ARRAY['uniform'::text, 'pcn874'::text, 'jsonl'::text, 'csv'::text, 'pdf-zip'::text, 'donations'::text, 'report'::text, 'email'::text]))),
    CONSTRAINT export_job_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text, 'expired'::text])))
);

ALTER TABLE ONLY public.export_job FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.export_job.package_months IS 'How many months the accountant''s files are of.';

COMMENT ON COLUMN public.export_job.drive IS 'The letter of the drive that a person chose for the uniform structure.';

CREATE TABLE public.export_volume (
    singleton boolean DEFAULT true NOT NULL,
    stored_bytes bigint DEFAULT 0 NOT NULL,
    CONSTRAINT export_volume_singleton_check CHECK (singleton),
    CONSTRAINT export_volume_stored_check CHECK ((stored_bytes >= 0))
);

CREATE TABLE public.form_outcome (
    session_id uuid NOT NULL,
    path text NOT NULL,
    outcome text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.membership (
    business_id uuid NOT NULL,
    person_id uuid NOT NULL,
    role text NOT NULL,
    invited_by uuid,
    invited_at timestamp with time zone NOT NULL,
    undelivered_at timestamp with time zone,
    joined_at timestamp with time zone,
    CONSTRAINT membership_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'issuer'::text, 'bookkeeper'::text])))
);

ALTER TABLE ONLY public.membership FORCE ROW LEVEL SECURITY;

CREATE TABLE public.passkey (
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    credential_id text NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    transports text[] NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone
);

CREATE TABLE public.person (
    id uuid NOT NULL,
    email text NOT NULL,
    language text,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT person_language_check CHECK ((language = ANY (ARRAY['he'::text, 'en'::text])))
);

CREATE TABLE public.session (
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    proved_at timestamp with time zone NOT NULL,
    user_agent text NOT NULL,
    network text NOT NULL,
    next_token_hash bytea,
    next_token_at timestamp with time zone,
    previous_token_hash bytea,
    previous_token_until timestamp with time zone,
    token_since timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT session_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

CREATE TABLE public.sign_in_link (
    token_hash bytea NOT NULL,
    person_id uuid NOT NULL,
    notice_id uuid,
    browser_hash bytea,
    next_path text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    business_id uuid
);

ALTER TABLE ONLY public.sign_in_link FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.sign_in_link.business_id IS 'Of an invitation: the business that it is to; null: a link to sign in.';

CREATE TABLE public.transmission (
    business_id uuid NOT NULL,
    export_id uuid NOT NULL,
    person_id uuid NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    next_attempt_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    claimed_until timestamp with time zone,
    claim_id uuid,
    progress json,
    sent_bytes bigint DEFAULT 0 NOT NULL,
    uploaded_at timestamp with time zone,
    failure text,
    error text,
    ended_at timestamp with time zone,
    request_id text,
    trace json,
    CONSTRAINT transmission_claim_check CHECK (((claimed_until IS NOT NULL) = (state = 'running'::text))),
    CONSTRAINT transmission_due_check CHECK (((next_attempt_at IS NOT NULL) = (state = ANY (ARRAY['queued'::text, 'running'::text])))),
    CONSTRAINT transmission_failure_check CHECK (((failure IS NOT NULL) = (state = 'failed'::text))),
    CONSTRAINT transmission_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'approved'::text, 'rejected'::text, 'not_required'::text, 'undecided'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.transmission FORCE ROW LEVEL SECURITY;

ALTER TABLE ONLY public.accountant_package
    ADD CONSTRAINT accountant_package_pkey PRIMARY KEY (business_id, month, months);

ALTER TABLE ONLY public.accountant_schedule
    ADD CONSTRAINT accountant_schedule_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.attempt_count
    ADD CONSTRAINT attempt_count_pkey PRIMARY KEY (kind, bucket);

ALTER TABLE ONLY public.book_check
    ADD CONSTRAINT book_check_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.ceremony
    ADD CONSTRAINT ceremony_pkey PRIMARY KEY (challenge_hash);

ALTER TABLE ONLY public.dismissed_row
    ADD CONSTRAINT dismissed_row_pkey PRIMARY KEY (business_id, row_hash);

ALTER TABLE ONLY public.dismissed_steps
    ADD CONSTRAINT dismissed_steps_pkey PRIMARY KEY (business_id);

ALTER TABLE ONLY public.draft
    ADD CONSTRAINT draft_pkey PRIMARY KEY (business_id, person_id, id);

ALTER TABLE ONLY public.due_notice
    ADD CONSTRAINT due_notice_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.export_chunk
    ADD CONSTRAINT export_chunk_pkey PRIMARY KEY (business_id, export_id, "position");

ALTER TABLE ONLY public.export_job
    ADD CONSTRAINT export_job_pkey PRIMARY KEY (business_id, id);

ALTER TABLE ONLY public.export_volume
    ADD CONSTRAINT export_volume_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.form_outcome
    ADD CONSTRAINT form_outcome_pkey PRIMARY KEY (session_id, path);

ALTER TABLE ONLY public.membership
    ADD CONSTRAINT membership_pkey PRIMARY KEY (business_id, person_id);

ALTER TABLE ONLY public.passkey
    ADD CONSTRAINT passkey_credential_key UNIQUE (credential_id);

ALTER TABLE ONLY public.passkey
    ADD CONSTRAINT passkey_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.person
    ADD CONSTRAINT person_email_key UNIQUE (email);

ALTER TABLE ONLY public.person
    ADD CONSTRAINT person_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_next_token_hash_key UNIQUE (next_token_hash);

ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.sign_in_link
    ADD CONSTRAINT sign_in_link_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.transmission
    ADD CONSTRAINT transmission_pkey PRIMARY KEY (business_id, export_id);

CREATE INDEX accountant_package_preparing_idx ON public.accountant_package USING btree (created_at) WHERE (state = 'preparing'::text);

CREATE INDEX attempt_count_ends_idx ON public.attempt_count USING btree (ends_at);

CREATE INDEX book_check_due_idx ON public.book_check USING btree (due_at);

CREATE INDEX ceremony_expires_idx ON public.ceremony USING btree (expires_at);

CREATE INDEX draft_expires_idx ON public.draft USING btree (expires_at);

CREATE INDEX due_notice_due_idx ON public.due_notice USING btree (next_attempt_at);

CREATE INDEX export_job_due_idx ON public.export_job USING btree (next_attempt_at) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX export_job_expires_idx ON public.export_job USING btree (expires_at) WHERE (state = 'done'::text);

CREATE INDEX export_job_package_idx ON public.export_job USING btree (business_id, package_month) WHERE (package_month IS NOT NULL);

CREATE INDEX export_job_requested_idx ON public.export_job USING btree (business_id, requested_at);

CREATE INDEX membership_person_idx ON public.membership USING btree (person_id);

CREATE INDEX passkey_person_idx ON public.passkey USING btree (person_id);

CREATE INDEX session_expires_idx ON public.session USING btree (expires_at);

CREATE INDEX session_person_idx ON public.session USING btree (person_id);

CREATE INDEX session_previous_token_idx ON public.session USING btree (previous_token_hash);

CREATE INDEX sign_in_link_expires_idx ON public.sign_in_link USING btree (expires_at);

CREATE INDEX sign_in_link_invitation_idx ON public.sign_in_link USING btree (business_id, person_id) WHERE (business_id IS NOT NULL);

CREATE INDEX sign_in_link_notice_idx ON public.sign_in_link USING btree (notice_id);

CREATE INDEX transmission_due_idx ON public.transmission USING btree (next_attempt_at) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));

ALTER TABLE ONLY public.accountant_schedule
    ADD CONSTRAINT accountant_schedule_recipient_fkey FOREIGN KEY (recipient_id) REFERENCES public.person(id);

ALTER TABLE ONLY public.dismissed_row
    ADD CONSTRAINT dismissed_row_person_fkey FOREIGN KEY (dismissed_by) REFERENCES public.person(id);

ALTER TABLE ONLY public.dismissed_steps
    ADD CONSTRAINT dismissed_steps_person_fkey FOREIGN KEY (dismissed_by) REFERENCES public.person(id);

ALTER TABLE ONLY public.draft
    ADD CONSTRAINT draft_person_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);

ALTER TABLE ONLY public.export_chunk
    ADD CONSTRAINT export_chunk_job_fkey FOREIGN KEY (business_id, export_id) REFERENCES public.export_job(business_id, id);

ALTER TABLE ONLY public.export_job
    ADD CONSTRAINT export_job_package_fkey FOREIGN KEY (business_id, package_month, package_months) REFERENCES public.accountant_package(business_id, month, months);

ALTER TABLE ONLY public.form_outcome
    ADD CONSTRAINT form_outcome_session_fkey FOREIGN KEY (session_id) REFERENCES public.session(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.membership
    ADD CONSTRAINT membership_person_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);

ALTER TABLE ONLY public.passkey
    ADD CONSTRAINT passkey_person_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);

ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_person_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);

ALTER TABLE ONLY public.sign_in_link
    ADD CONSTRAINT sign_in_link_person_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);

ALTER TABLE ONLY public.transmission
    ADD CONSTRAINT transmission_job_fkey FOREIGN KEY (business_id, export_id) REFERENCES public.export_job(business_id, id);

ALTER TABLE public.accountant_package ENABLE ROW LEVEL SECURITY;

CREATE POLICY accountant_package_of_business ON public.accountant_package USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.accountant_schedule ENABLE ROW LEVEL SECURITY;

CREATE POLICY accountant_schedule_of_business ON public.accountant_schedule USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.book_check ENABLE ROW LEVEL SECURITY;

CREATE POLICY book_check_of_business ON public.book_check USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.dismissed_row ENABLE ROW LEVEL SECURITY;

CREATE POLICY dismissed_row_of_business ON public.dismissed_row USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.dismissed_steps ENABLE ROW LEVEL SECURITY;

CREATE POLICY dismissed_steps_of_business ON public.dismissed_steps USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.draft ENABLE ROW LEVEL SECURITY;

CREATE POLICY draft_of_business ON public.draft USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.due_notice ENABLE ROW LEVEL SECURITY;

CREATE POLICY due_notice_of_business ON public.due_notice USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.export_chunk ENABLE ROW LEVEL SECURITY;

CREATE POLICY export_chunk_of_business ON public.export_chunk USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.export_job ENABLE ROW LEVEL SECURITY;

CREATE POLICY export_job_of_business ON public.export_job USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.membership ENABLE ROW LEVEL SECURITY;

CREATE POLICY membership_of_business ON public.membership USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.sign_in_link ENABLE ROW LEVEL SECURITY;

CREATE POLICY sign_in_link_of_business ON public.sign_in_link USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.transmission ENABLE ROW LEVEL SECURITY;

CREATE POLICY transmission_of_business ON public.transmission USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);
