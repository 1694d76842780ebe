import { sqlMigration } from '@pinkas/service-kit/schema';

/** When a key was last used, to the minute. No index has it, so that storing it changes none. */
export const lastUsedKeys = sqlMigration(`
  alter table api_key add column last_used_at timestamptz;
  comment on column api_key.last_used_at is 'To the minute; null: it never was.';
`);
