import { sql } from 'kysely';
import { type Database, forTenant } from './tenant-scope.js';

/**
 * Deletes every row of a test book, in one transaction.
 * @param tables in an order that no foreign key refuses.
 * @returns how many rows there were; none of a live book, whose id is no `is_test_book`.
 */
export async function clearTestBook<Tables>(
  db: Database<Tables>,
  businessId: string,
  tables: readonly (keyof Tables & string)[],
): Promise<number> {
  return forTenant(db, businessId)
    .transaction()
    .execute(async (trx) => {
      let deleted = 0n;
      for (const table of tables) {
        const { numAffectedRows = 0n } = await sql`
          delete from ${sql.table(table)} where business_id = ${businessId} and is_test_book(business_id)
        `.execute(trx);
        deleted += numAffectedRows;
      }
      return Number(deleted);
    });
}
