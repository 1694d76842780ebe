import { createTestBookFunction, keepLiveRows, sqlMigration } from '@pinkas/service-kit/schema';

/** Only a test book can be emptied. */
export const clearableTestBooks = sqlMigration(`
  ${createTestBookFunction}
  ${keepLiveRows('allocation')}
`);
