import { enableTenantIsolation, sqlMigration } from '@pinkas/service-kit/schema';

/** What people have typed and not finished. */
export const draft = sqlMigration(`
  create table draft (
    business_id uuid not null,
    person_id   uuid not null,
    id          uuid not null,
    path        text not null,
    fields      json not null,
    document_id uuid,
    saved_at    timestamptz not null,
    expires_at  timestamptz not null,
    constraint draft_pkey primary key (business_id, person_id, id),
    constraint draft_person_fkey foreign key (person_id) references person (id),
    constraint draft_fields_check check (octet_length(fields::text) <= 2097152)
  );
  comment on column draft.id is 'Of a document: the idempotency key with which it is issued.';
  comment on column draft.path is 'Where the form is sent; another one in the test book.';
  comment on column draft.fields is 'Names and values in their order.';
  comment on column draft.document_id is 'The document that was issued from it, and then it has no fields; null: none was.';
  create index draft_expires_idx on draft (expires_at);
  ${enableTenantIsolation('draft')}
`);
