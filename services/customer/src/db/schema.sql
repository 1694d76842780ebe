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

CREATE FUNCTION public.name_joined(name_key text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN btrim(regexp_replace(translate(name_key, 'ְֱֲֳִֵֶַָׇֹֺֻּֽֿׁׂ֑֖֛֢֣֤֥֦֧֪ׅ֚֭֮֒֓֔֕֗֘֙֜֝֞֟֠֡֨֩֫֬֯ׄ׳״"''‘’‚‛“”„‟′″`´ʼ＂＇-־‐‑‒–—−﹣－'::text, ''::text), ' +'::text, ' '::text, 'g'::text));

COMMENT ON FUNCTION public.name_joined(name_key text) IS 'A folded name without signs, points and hyphens, as many people type it.';

CREATE FUNCTION public.name_spaced(name_key text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN btrim(regexp_replace(translate(translate(name_key, 'ְֱֲֳִֵֶַָׇֹֺֻּֽֿׁׂ֑֖֛֢֣֤֥֦֧֪ׅ֚֭֮֒֓֔֕֗֘֙֜֝֞֟֠֡֨֩֫֬֯ׄ׳״"''‘’‚‛“”„‟′″`´ʼ＂＇'::text, ''::text), '-־‐‑‒–—−﹣－'::text, '          '::text), ' +'::text, ' '::text, 'g'::text));

COMMENT ON FUNCTION public.name_spaced(name_key text) IS 'A folded name without signs and points, and with blanks for hyphens.';

CREATE FUNCTION public.phone_key(phone text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
    select nullif(regexp_replace(regexp_replace(phone, '\D', '', 'g'), '^(00)?(972)?0*', ''), '')
  $$;

CREATE FUNCTION public.reject_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    raise exception 'a live book is never emptied' using errcode = 'restrict_violation';
  end $$;

CREATE FUNCTION public.rewrite_name_suffixes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    delete from card_name_suffix where business_id = old.business_id and card_id = old.id;
    insert into card_name_suffix (business_id, suffix, card_id)
      select distinct new.business_id, substr(form, start, 32), new.id
        from unnest(array[new.name_key, name_joined(new.name_key), name_spaced(new.name_key)]) as form,
          generate_series(1, length(form)) as start
       where substr(form, start, 1) <> ' ';
    return null;
  end $$;

CREATE FUNCTION public.write_contact_keys() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    new.email_key := lower(new.email);
    new.phone_key := phone_key(new.phone);
    return new;
  end $$;

CREATE FUNCTION public.write_name_suffixes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    -- No search text begins with a space.
    insert into card_name_suffix (business_id, suffix, card_id)
      select distinct new.business_id, substr(form, start, 32), new.id
        from unnest(array[new.name_key, name_joined(new.name_key), name_spaced(new.name_key)]) as form,
          generate_series(1, length(form)) as start
       where substr(form, start, 1) <> ' ';
    return null;
  end $$;

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
    removed_details text[] DEFAULT '{}'::text[] NOT NULL,
    email_key text,
    phone_key text,
    payment_terms jsonb,
    former_name_keys text[] DEFAULT '{}'::text[] NOT NULL,
    opened_as uuid,
    CONSTRAINT card_claimed_check CHECK (((confirmed_at IS NULL) = (claimed_until IS NOT NULL))),
    CONSTRAINT card_legal_type_check CHECK ((legal_type = ANY (ARRAY['hevra_baam'::text, 'osek_murshe'::text, 'osek_patur'::text, 'amuta'::text, 'private'::text]))),
    CONSTRAINT card_reserved_check CHECK (((confirmed_at IS NOT NULL) OR (COALESCE(tax_id, legal_type, email, phone, address, city) IS NULL))),
    CONSTRAINT card_tax_id_check CHECK ((tax_id ~ '^[0-9]{9}$'::text))
);

ALTER TABLE ONLY public.card FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.card.tax_id IS 'Nine digits with leading zeros.';

COMMENT ON COLUMN public.card.confirmed_at IS 'Null: the card is only reserved by a request in flight, has nothing but its name, and is no customer yet.';

COMMENT ON COLUMN public.card.removed_details IS 'Details that a person has removed, however often documents have filled them since.';

COMMENT ON COLUMN public.card.email_key IS 'What addresses are searched by: in lower case.';

COMMENT ON COLUMN public.card.phone_key IS 'What phone numbers are searched by: digits, without the code of the country and zeros before.';

COMMENT ON COLUMN public.card.payment_terms IS 'Null: those of the business.';

COMMENT ON COLUMN public.card.former_name_keys IS 'Folded names that it had before: a request that names one of them finds this card, unless another card has the name now.';

COMMENT ON COLUMN public.card.opened_as IS 'The id that the request to open it named, where a document in flight had reserved it; else null.';

CREATE TABLE public.card_name_suffix (
    business_id uuid NOT NULL,
    suffix text NOT NULL COLLATE pg_catalog."C",
    card_id uuid NOT NULL
);

ALTER TABLE ONLY public.card_name_suffix FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.card_name_suffix IS 'Each position in a customer''s folded name, with and without its signs, where a search text may begin, with the 32 characters from there on.';

CREATE TABLE public.reservation (
    business_id uuid NOT NULL,
    document_id uuid NOT NULL,
    card_id uuid NOT NULL,
    tax_id text,
    reserved_until timestamp with time zone NOT NULL,
    CONSTRAINT reservation_tax_id_check CHECK ((tax_id ~ '^[0-9]{9}$'::text))
);

ALTER TABLE ONLY public.reservation FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE public.reservation IS 'The card, and the tax id to be written on it, of a document that is being issued.';

COMMENT ON COLUMN public.reservation.tax_id IS 'Nine digits; null: the document writes none on the card.';

ALTER TABLE ONLY public.card
    ADD CONSTRAINT card_name_key UNIQUE (business_id, name_key);

ALTER TABLE ONLY public.card_name_suffix
    ADD CONSTRAINT card_name_suffix_pkey PRIMARY KEY (business_id, suffix, card_id);

ALTER TABLE ONLY public.card
    ADD CONSTRAINT card_pkey PRIMARY KEY (business_id, id);

ALTER TABLE ONLY public.reservation
    ADD CONSTRAINT reservation_pkey PRIMARY KEY (business_id, document_id);

CREATE INDEX card_email_idx ON public.card USING btree (business_id, email_key) WHERE (email_key IS NOT NULL);

CREATE INDEX card_former_names_idx ON public.card USING btree (business_id) WHERE (former_name_keys <> '{}'::text[]);

CREATE INDEX card_name_order_idx ON public.card USING btree (business_id, name_key COLLATE "C", id) WHERE (confirmed_at IS NOT NULL);

CREATE INDEX card_phone_idx ON public.card USING btree (business_id, phone_key) WHERE (phone_key IS NOT NULL);

CREATE INDEX card_reserved_idx ON public.card USING btree (claimed_until) WHERE (confirmed_at IS NULL);

CREATE INDEX card_tax_id_idx ON public.card USING btree (business_id, tax_id, created_at) WHERE (tax_id IS NOT NULL);

CREATE INDEX reservation_card_idx ON public.reservation USING btree (business_id, card_id);

CREATE INDEX reservation_tax_id_idx ON public.reservation USING btree (business_id, tax_id) WHERE (tax_id IS NOT NULL);

CREATE INDEX reservation_until_idx ON public.reservation USING btree (reserved_until);

CREATE TRIGGER card_confirmed_insert AFTER INSERT ON public.card FOR EACH ROW WHEN ((new.confirmed_at IS NOT NULL)) EXECUTE FUNCTION public.write_name_suffixes();

CREATE TRIGGER card_confirmed_update AFTER UPDATE ON public.card FOR EACH ROW WHEN (((old.confirmed_at IS NULL) AND (new.confirmed_at IS NOT NULL))) EXECUTE FUNCTION public.write_name_suffixes();

CREATE TRIGGER card_contact_keys BEFORE INSERT OR UPDATE OF email, phone ON public.card FOR EACH ROW EXECUTE FUNCTION public.write_contact_keys();

CREATE TRIGGER card_is_not_truncated BEFORE TRUNCATE ON public.card FOR EACH STATEMENT EXECUTE FUNCTION public.reject_truncate();

CREATE TRIGGER card_keeps_live_rows BEFORE DELETE ON public.card FOR EACH ROW WHEN ((NOT (old.confirmed_at IS NULL))) EXECUTE FUNCTION public.keep_live_row();

CREATE TRIGGER card_renamed AFTER UPDATE OF name_key ON public.card FOR EACH ROW WHEN (((old.confirmed_at IS NOT NULL) AND (old.name_key <> new.name_key))) EXECUTE FUNCTION public.rewrite_name_suffixes();

ALTER TABLE ONLY public.reservation
    ADD CONSTRAINT reservation_card_fkey FOREIGN KEY (business_id, card_id) REFERENCES public.card(business_id, id);

ALTER TABLE public.card ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.card_name_suffix ENABLE ROW LEVEL SECURITY;

CREATE POLICY card_name_suffix_of_business ON public.card_name_suffix USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

CREATE POLICY card_of_business ON public.card USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);

ALTER TABLE public.reservation ENABLE ROW LEVEL SECURITY;

CREATE POLICY reservation_of_business ON public.reservation USING (
CASE current_setting('pinkas.business_id'::text, true)
    WHEN '*'::text THEN true
    WHEN ''::text THEN false
    ELSE (business_id = (current_setting('pinkas.business_id'::text, true))::uuid)
END);
