import { createJobTable, sqlMigration } from '@pinkas/service-kit/schema';

/** Its slow work. */
export const jobs = sqlMigration(createJobTable);
