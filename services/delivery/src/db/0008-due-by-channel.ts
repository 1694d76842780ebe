import { sqlMigration } from '@pinkas/service-kit/schema';

/** What is due is looked for by channel: each has a worker of its own. */
export const dueByChannel = sqlMigration(`
  drop index delivery_due_idx;
  create index delivery_due_idx on delivery (channel, next_attempt_at) where state = 'ready';
`);
