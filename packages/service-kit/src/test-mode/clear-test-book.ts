import { type RawBuilder, sql, type Transaction } from 'kysely';
import { isDeadlock, isForeignKeyViolation } from '../db/errors.js';
import { type Database, forTenant } from '../db/tenant-scope.js';
import { appendTrail } from '../trail/trail.repository.js';

/** The columns that the tables of books share. */
type BookTables = Record<string, { business_id: string }>;

/** How many rows one transaction deletes: a second of work. */
const transactionRows = 1_000;
/** After this time no further transaction begins: the caller shows how far it is, and calls again. */
const callMs = 5_000;
/** How often in a row others may add rows that refer to what is deleted; then the order of the tables is wrong. */
const violationsMax = 10;

/** The tables of a service that have rows of a test book. */
export interface TestBookTables<Tables> {
  /** In an order that no foreign key refuses. */
  readonly tables: readonly (keyof Tables & string)[];
  /** The values of tables whose rows refer to rows with a lower value: the highest are deleted first. */
  readonly highestFirst?: Readonly<Record<string, RawBuilder<unknown>>>;
  /** Which rows of a table are deleted; by default all of the book. */
  readonly only?: Readonly<Record<string, RawBuilder<unknown>>>;
  /** Locks what keeps others from adding rows, in each transaction before anything is deleted. */
  readonly lock?: (trx: Transaction<Tables>) => Promise<unknown>;
}

/**
 * Deletes the rows of a test book but its trail, some in each transaction. What is cut off is continued by the next call.
 * @returns how many rows were deleted, and whether there may be more; none of a live book, whose id is no `is_test_book`.
 */
export async function clearTestBook<Tables>(
  db: Database<Tables>,
  businessId: string,
  book: TestBookTables<Tables>,
  { rows = transactionRows, timeMs = callMs } = {},
): Promise<{ deleted: number; more: boolean }> {
  const endMs = performance.now() + timeMs;
  for (let deleted = 0, violations = 0; ; ) {
    const found = await forTenant(db, businessId)
      .transaction()
      .execute((trx) => deleteRows(trx, businessId, book, rows))
      .catch((error: unknown) => {
        // A document that is being issued held what this waited for, and waits for nothing any more.
        if (isDeadlock(error)) {
          return undefined;
        }
        // A row was added to a table that this had passed, and the next part deletes it first.
        if (isForeignKeyViolation(error) && violations < violationsMax) {
          violations += 1;
          return undefined;
        }
        throw error;
      });
    violations = found === undefined ? violations : 0;
    deleted += found ?? 0;
    const more = found === undefined || found === rows;
    if (!more || performance.now() >= endMs) {
      return { deleted, more };
    }
  }
}

/** Deletes the rows of table after table, at most `rows` together. @returns how many. */
async function deleteRows<Tables>(
  trx: Transaction<Tables>,
  businessId: string,
  { tables, highestFirst = {}, only = {}, lock }: TestBookTables<Tables>,
  rows: number,
): Promise<number> {
  await lock?.(trx);
  let deleted = 0;
  const books = trx as unknown as Transaction<BookTables>;
  for (const table of tables as readonly string[]) {
    const value = highestFirst[table];
    // A statement of its own: a row that another transaction has changed is only visible to the next one.
    const places = await books
      .selectFrom(table)
      .select(sql<string>`ctid::text`.as('place'))
      .where('business_id', '=', businessId)
      .where(sql<boolean>`is_test_book(business_id)`)
      .where(sql<boolean>`${only[table] ?? sql`true`}`)
      .$if(value !== undefined, (query) => query.orderBy(value as RawBuilder<unknown>, 'desc'))
      .limit(rows - deleted)
      .forUpdate()
      .execute();
    const { numDeletedRows } = await books
      .deleteFrom(table)
      .where(sql<boolean>`ctid = any(${places.map(({ place }) => place)}::tid[])`)
      .executeTakeFirstOrThrow();
    deleted += Number(numDeletedRows);
    if (deleted === rows) {
      break;
    }
  }
  if (deleted > 0) {
    await appendTrail(trx, {
      business_id: businessId,
      action: 'test_book.clear',
      subject: businessId,
      actor: 'operator',
      before: null,
      after: { deleted },
    });
  }
  return deleted;
}
