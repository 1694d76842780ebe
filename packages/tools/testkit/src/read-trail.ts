import type { TrailTables } from '@pinkas/service-kit';
import type { TestDatabase } from './databases.js';

/** What the trail of a business has, the oldest entry first. */
export async function readTrail<Tables extends TrailTables>(
  database: TestDatabase<Tables>,
  businessId: string,
): Promise<{ action: string; actor: string; subject: string; before: unknown; after: unknown }[]> {
  const db = database.db as unknown as TestDatabase<TrailTables>['db'];
  return db
    .selectFrom('audit_entry')
    .select(['action', 'actor', 'subject', 'before', 'after'])
    .where('business_id', '=', businessId)
    .orderBy('n')
    .execute();
}
