import type { Database, Transaction } from '@pinkas/service-kit';
import type { Selectable } from 'kysely';
import type { AllocationTables, ConnectionTable } from '../allocation/allocation.tables.js';

export type ConnectionRow = Selectable<ConnectionTable>;

/** The connection of a business, if it has ever had one. */
export async function findConnection(
  db: Database<AllocationTables>,
  businessId: string,
): Promise<ConnectionRow | undefined> {
  return db.selectFrom('connection').selectAll().where('business_id', '=', businessId).executeTakeFirst();
}

/** The same, held until the transaction ends, so that one refresh runs at a time. */
export async function lockConnection(
  trx: Transaction<AllocationTables>,
  businessId: string,
): Promise<ConnectionRow | undefined> {
  return trx
    .selectFrom('connection')
    .selectAll()
    .where('business_id', '=', businessId)
    .forUpdate()
    .executeTakeFirst();
}

/** Stores the tokens of a new or a renewed connection. */
export async function saveConnection(
  trx: Transaction<AllocationTables>,
  row: Omit<ConnectionRow, 'connected_at' | 'broken_at'>,
): Promise<void> {
  const { business_id, ...tokens } = row;
  await trx
    .insertInto('connection')
    .values({ ...row, connected_at: row.refreshed_at, broken_at: null })
    .onConflict((conflict) => conflict.column('business_id').doUpdateSet({ ...tokens, broken_at: null }))
    .execute();
}

/** The refresh token is worth nothing any more. */
export async function breakConnection(
  trx: Transaction<AllocationTables>,
  businessId: string,
  at: Date,
): Promise<void> {
  await trx.updateTable('connection').set({ broken_at: at }).where('business_id', '=', businessId).execute();
}
