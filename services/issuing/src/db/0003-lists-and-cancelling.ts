import { hideFromOthers, sqlMigration } from '@pinkas/service-kit/schema';

/** Lists that never scan a book, why a document was cancelled, and each business alone with its rows. */
export const listsAndCancelling = sqlMigration(`
  alter table document
    add column cancel_reason text,
    add constraint document_cancel_reason_check check (cancel_reason is null or cancelled_at is not null),
    -- Callers turn pages by instants of milliseconds: a finer one would be skipped, or told twice.
    add constraint document_issued_at_check check (issued_at::timestamptz(3) = issued_at);

  comment on column document.cancel_reason is 'What the caller said of why it cancelled.';

  create or replace function document_goes_on() returns trigger language plpgsql as $$
  begin
    if old.status = 'cancelled' and new.status <> 'cancelled'
      or old.cancelled_at is not null and new.cancelled_at is distinct from old.cancelled_at
      or old.cancelled_at is not null and new.cancel_reason is distinct from old.cancel_reason
      or old.allocation_number is not null and new.allocation_number is distinct from old.allocation_number
      or old.creation is not null and new.creation is distinct from old.creation
    then
      raise exception 'what has become of a document is not taken back' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;

  -- Each filter of a list has an index in the order of the list. None bears a column that changes after the issue, so
  -- that a change of a document touches no index.
  create index document_issued_idx on document (business_id, issued_at, id);
  create index document_type_issued_idx on document (business_id, type, issued_at, id);
  create index document_external_ref_idx on document (business_id, external_ref, issued_at, id)
    where external_ref is not null;
  -- Finds between which instants the documents of a type were issued that bear a range of dates.
  create index document_type_dated_idx on document (business_id, type, dated_on, issued_at);

  ${hideFromOthers('document')}
  ${hideFromOthers('series')}
  ${hideFromOthers('daily_count')}
`);
