import { createTestBookFunction, keepLiveRows, sqlMigration } from '@pinkas/service-kit/schema';

/** Only a test book can be emptied; what a request has reserved may be deleted from every book. */
export const clearableTestBooks = sqlMigration(`
  ${createTestBookFunction}
  ${keepLiveRows('card', 'old.confirmed_at is null')}
`);
