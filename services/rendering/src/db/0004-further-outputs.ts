import { hideFromOthers, sqlMigration } from '@pinkas/service-kit/schema';

/** What decides how a further output of a document looks: that it was cancelled, and that one was delivered. */
export const furtherOutputs = sqlMigration(`
  alter table artifact add column cancelled_at timestamptz;
  drop trigger artifact_is_final on artifact;
  create trigger artifact_is_final before update of business_id, document_id, revision, request_sha256, sha256, pdf,
    size_bytes, template_version, certificate_sha256, allocation_number, cancelled_at, created_at on artifact
    for each row execute function artifact_is_final();

  create table delivered (
    business_id  uuid not null,
    document_id  uuid not null,
    delivered_at timestamptz not null,
    constraint delivered_pkey primary key (business_id, document_id)
  );
  comment on table delivered is
    'The documents of which a PDF was sent to the customer, so that every further output of them is a copy.';
  -- Nobody wrote down which of the earlier ones were sent: a copy too many is lawful, a second original is not.
  insert into delivered
    select business_id, document_id, min(announced_at) from artifact where announced_at is not null
    group by business_id, document_id;
  ${hideFromOthers('delivered')}
`);
