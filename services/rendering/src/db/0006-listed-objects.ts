import { sqlMigration } from '@pinkas/service-kit/schema';

/** A file without a row may be the only proof of a document that a restore has lost: it is deleted only when a person has had it listed. */
export const listedObjects = sqlMigration(`
  create table listed_object (
    object_key text not null constraint listed_object_pkey primary key,
    listed_at  timestamptz not null
  );
  comment on table listed_object is
    'Files in the object store without a row that were listed for a person. They are deleted when that is as long ago as no backup is old.';
  create index listed_object_listed_idx on listed_object (listed_at);
  drop table object_comparison;
`);
