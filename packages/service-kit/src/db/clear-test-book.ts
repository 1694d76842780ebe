import { sql, type Transaction } from 'kysely';
import { appendAudit } from '../audit/audit.repository.js';
import { type Database, forTenant } from './tenant-scope.js';

/** What the tables of books have in common. */
type BookTables = Record<string, { business_id: string }>;

/**
 * Deletes every row of a test book but its trail, in one transaction.
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
      const books = trx as unknown as Transaction<BookTables>;
      let deleted = 0n;
      for (const table of tables as readonly string[]) {
        const { numDeletedRows } = await books
          .deleteFrom(table)
          .where('business_id', '=', businessId)
          .where(sql<boolean>`is_test_book(business_id)`)
          .executeTakeFirstOrThrow();
        deleted += numDeletedRows;
      }
      const rows = Number(deleted);
      if (rows > 0) {
        await appendAudit(trx, {
          business_id: businessId,
          action: 'test_book.clear',
          subject: businessId,
          actor: 'operator',
          before: null,
          after: { deleted: rows },
        });
      }
      return rows;
    });
}
