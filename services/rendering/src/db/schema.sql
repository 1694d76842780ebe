CREATE FUNCTION public.check_artifact_comparison() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    if tg_op <> 'UPDATE' or new.compared_until < old.compared_until then
      raise exception 'what was compared stays so' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;

CREATE FUNCTION public.check_artifact_state() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    if tg_op = 'DELETE' then
      if not is_test_book(old.business_id) and (
        old.revision > 1 or old.created_at <= (select compared_until from artifact_comparison)
      ) then
        raise exception 'the artifact of an issued document is never deleted' using errcode = 'restrict_violation';
      end if;
      return old;
    end if;
    if old.published_at is not null and new.published_at is distinct from old.published_at then
      raise exception 'an artifact is final' using errcode = 'restrict_violation';
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

CREATE FUNCTION public.record_removed_object() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    insert into removed_object (object_key) values (old.object_key);
    return null;
  end $$;

CREATE FUNCTION public.reject_artifact_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'an artifact is final' using errcode = 'restrict_violation';
  end $$;

CREATE FUNCTION public.reject_artifact_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'artifacts are never truncated' using errcode = 'restrict_violation';
  end $$;

CREATE FUNCTION public.reject_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'a live book is never emptied' using errcode = 'restrict_violation';
  end $$;

CREATE FUNCTION public.signed_heads_are_final() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'signed heads cannot be changed' using errcode = 'restrict_violation';
  end $$;

CREATE TABLE public.artifact (
    business_id uuid NOT NULL,
    document_id uuid NOT NULL,
    revision integer NOT NULL,
    request_sha256 bytea NOT NULL,
    attempt integer,
    sha256 bytea NOT NULL,
    pdf bytea,
    size_bytes integer NOT NULL,
    template_version integer NOT NULL,
    certificate_sha256 bytea NOT NULL,
    allocation_number text,
    number_pending boolean DEFAULT false NOT NULL,
    report_cancelled boolean DEFAULT false NOT NULL,
    cancelled_at timestamp with time zone,
    cancel_reason text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    published_at timestamp with time zone,
    original boolean NOT NULL,
    not_deductible boolean DEFAULT false NOT NULL,
    object_key text,
    CONSTRAINT artifact_allocation_number_check CHECK ((allocation_number ~ '^[0-9A-Za-z/-]+(, [0-9A-Za-z/-]+)*$'::text)),
    CONSTRAINT artifact_attempt_check CHECK (((attempt IS NOT NULL) = (revision = 1))),
    CONSTRAINT artifact_cancel_reason_check CHECK (((cancel_reason IS NULL) OR (cancelled_at IS NOT NULL))),
    CONSTRAINT artifact_number_pending_check CHECK (((NOT number_pending) OR (allocation_number IS NULL))),
    CONSTRAINT artifact_place_check CHECK ((num_nonnulls(pdf, object_key) = 1)),
    CONSTRAINT artifact_revision_check CHECK ((revision >= 1)),
    CONSTRAINT artifact_sha256_check CHECK ((sha256 = sha256(pdf))),
    CONSTRAINT artifact_size_check CHECK ((size_bytes = octet_length(pdf)))
);
ALTER TABLE ONLY public.artifact ALTER COLUMN pdf SET STORAGE EXTERNAL;

ALTER TABLE ONLY public.artifact FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.artifact.attempt IS 'Of the requests for a document that is being issued; only an older one is replaced.';

COMMENT ON COLUMN public.artifact.allocation_number IS 'The tax authority''s number: an allocation number, or that of a donation report.';

COMMENT ON COLUMN public.artifact.report_cancelled IS 'Whether it says that the report of its donation was cancelled.';

COMMENT ON COLUMN public.artifact.original IS 'Whether it says that it is the original.';

COMMENT ON COLUMN public.artifact.not_deductible IS 'Whether it states that no input VAT is deducted by it, since its number was refused and its owner went on without.';

COMMENT ON COLUMN public.artifact.object_key IS 'Where the PDF is in the object store; null: it is in the row.';

CREATE TABLE public.artifact_comparison (
    one boolean DEFAULT true NOT NULL,
    compared_until timestamp with time zone NOT NULL,
    CONSTRAINT artifact_comparison_one_check CHECK (one)
);

CREATE TABLE public.artifact_release (
    business_id uuid NOT NULL,
    document_id uuid NOT NULL,
    released_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.artifact_release FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.artifact_release IS 'The documents of which a PDF was released to be sent to the customer, so that every later revision of them is a copy.';

CREATE TABLE public.heads_certificate (
    sha256 bytea NOT NULL,
    purpose text NOT NULL,
    since timestamp with time zone NOT NULL,
    CONSTRAINT heads_certificate_purpose_check CHECK ((purpose = ANY (ARRAY['statement'::text, 'timestamp'::text])))
);

CREATE TABLE public.listed_object (
    object_key text NOT NULL,
    listed_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE public.listed_object IS 'Files in the object store without a row that were listed for a person. They are deleted when that is as long ago as no backup is old.';

CREATE TABLE public.logo (
    business_id uuid NOT NULL,
    sha256 bytea NOT NULL,
    media_type text NOT NULL,
    bytes bytea NOT NULL,
    width double precision NOT NULL,
    height double precision NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT logo_media_type_check CHECK ((media_type = ANY (ARRAY['image/png'::text, 'image/svg+xml'::text]))),
    CONSTRAINT logo_sha256_check CHECK ((sha256 = sha256(bytes))),
    CONSTRAINT logo_sides_check CHECK (((width > (0)::double precision) AND (height > (0)::double precision)))
);
ALTER TABLE ONLY public.logo ALTER COLUMN bytes SET STORAGE EXTERNAL;

ALTER TABLE ONLY public.logo FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.logo IS 'The logos of businesses by their content. None is deleted: a document is rendered again with the logo that it was issued with.';

CREATE TABLE public.logo_preview (
    business_id uuid NOT NULL,
    sha256 bytea NOT NULL,
    media_type text NOT NULL,
    bytes bytea NOT NULL,
    width double precision NOT NULL,
    height double precision NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.logo_preview FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.logo_preview IS 'Logos that are not saved yet. They are deleted after an hour.';

CREATE TABLE public.removed_object (
    object_key text NOT NULL,
    removed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

COMMENT ON TABLE public.removed_object IS 'The files in the object store that no row names any more. They are deleted when no backup can bring their rows back.';

CREATE TABLE public.signed_heads (
    n bigint NOT NULL,
    signed_at timestamp with time zone NOT NULL,
    statement text NOT NULL,
    signature bytea NOT NULL,
    certificate_sha256 bytea NOT NULL
);

CREATE TABLE public.stated_head (
    chain text NOT NULL,
    n bigint NOT NULL,
    hash text NOT NULL,
    stated_at timestamp with time zone
);

COMMENT ON COLUMN public.stated_head.stated_at IS 'When that end was signed; null: an earlier release has signed it.';

ALTER TABLE ONLY public.artifact_comparison
    ADD CONSTRAINT artifact_comparison_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.artifact
    ADD CONSTRAINT artifact_pkey PRIMARY KEY (business_id, document_id, revision);

ALTER TABLE ONLY public.artifact_release
    ADD CONSTRAINT artifact_release_pkey PRIMARY KEY (business_id, document_id);

ALTER TABLE ONLY public.heads_certificate
    ADD CONSTRAINT heads_certificate_pkey PRIMARY KEY (sha256, purpose);

ALTER TABLE ONLY public.listed_object
    ADD CONSTRAINT listed_object_pkey PRIMARY KEY (object_key);

ALTER TABLE ONLY public.logo
    ADD CONSTRAINT logo_pkey PRIMARY KEY (business_id, sha256);

ALTER TABLE ONLY public.logo_preview
    ADD CONSTRAINT logo_preview_pkey PRIMARY KEY (business_id, sha256);

ALTER TABLE ONLY public.removed_object
    ADD CONSTRAINT removed_object_pkey PRIMARY KEY (object_key);

ALTER TABLE ONLY public.signed_heads
    ADD CONSTRAINT signed_heads_pkey PRIMARY KEY (n);

ALTER TABLE ONLY public.stated_head
    ADD CONSTRAINT stated_head_pkey PRIMARY KEY (chain);

CREATE INDEX artifact_first_idx ON public.artifact USING btree (created_at) WHERE (revision = 1);

CREATE INDEX artifact_sha256_idx ON public.artifact USING hash (sha256);

CREATE INDEX listed_object_listed_idx ON public.listed_object USING btree (listed_at);

CREATE INDEX logo_preview_created_idx ON public.logo_preview USING btree (created_at);

CREATE INDEX removed_object_removed_idx ON public.removed_object USING btree (removed_at);

CREATE TRIGGER artifact_comparison_increases BEFORE INSERT OR DELETE OR UPDATE ON public.artifact_comparison FOR EACH ROW EXECUTE FUNCTION public.check_artifact_comparison();

CREATE TRIGGER artifact_content_is_final BEFORE UPDATE OF business_id, document_id, revision, request_sha256, attempt, sha256, size_bytes, template_version, certificate_sha256, allocation_number, number_pending, report_cancelled, cancelled_at, cancel_reason, created_at, original ON public.artifact FOR EACH ROW EXECUTE FUNCTION public.reject_artifact_change();

CREATE TRIGGER artifact_file_is_final BEFORE UPDATE OF pdf, object_key ON public.artifact FOR EACH ROW WHEN (((num_nonnulls(old.pdf, new.pdf) <> 1) OR (num_nonnulls(old.object_key, new.object_key) <> 1))) EXECUTE FUNCTION public.reject_artifact_change();

CREATE TRIGGER artifact_is_not_truncated BEFORE TRUNCATE ON public.artifact FOR EACH STATEMENT EXECUTE FUNCTION public.reject_artifact_truncate();

CREATE TRIGGER artifact_not_deductible_is_final BEFORE UPDATE OF not_deductible ON public.artifact FOR EACH ROW EXECUTE FUNCTION public.reject_artifact_change();

CREATE TRIGGER artifact_records_moved_object AFTER UPDATE OF object_key ON public.artifact FOR EACH ROW WHEN (((old.object_key IS NOT NULL) AND (new.object_key IS NULL))) EXECUTE FUNCTION public.record_removed_object();

CREATE TRIGGER artifact_records_removed_object AFTER DELETE ON public.artifact FOR EACH ROW WHEN ((old.object_key IS NOT NULL)) EXECUTE FUNCTION public.record_removed_object();

CREATE TRIGGER artifact_release_is_not_truncated BEFORE TRUNCATE ON public.artifact_release FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER artifact_release_keeps_live_rows BEFORE DELETE ON public.artifact_release FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER artifact_state_is_final BEFORE DELETE OR UPDATE ON public.artifact FOR EACH ROW EXECUTE FUNCTION public.check_artifact_state();

CREATE TRIGGER heads_certificate_is_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.heads_certificate FOR EACH STATEMENT EXECUTE FUNCTION public.signed_heads_are_final();

CREATE TRIGGER logo_is_not_truncated BEFORE TRUNCATE ON public.logo FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER logo_keeps_live_rows BEFORE DELETE ON public.logo FOR EACH ROW EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER signed_heads_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.signed_heads FOR EACH STATEMENT EXECUTE FUNCTION public.signed_heads_are_final();

ALTER TABLE public.artifact ENABLE ROW LEVEL SECURITY;

CREATE POLICY artifact_of_business ON public.artifact USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.artifact_release ENABLE ROW LEVEL SECURITY;

CREATE POLICY artifact_release_of_business ON public.artifact_release USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.logo ENABLE ROW LEVEL SECURITY;

CREATE POLICY logo_of_business ON public.logo USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.logo_preview ENABLE ROW LEVEL SECURITY;

CREATE POLICY logo_preview_of_business ON public.logo_preview USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);
