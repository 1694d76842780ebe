import type { Database, Transaction } from '@pinkas/service-kit';
import type { DeliveryTables, MessageKey } from '../db/delivery.tables.js';

/** Stores the file that the message of a statement carries. */
export async function insertStatementFile(
  trx: Transaction<DeliveryTables>,
  { business_id, id }: MessageKey,
  pdf: Buffer,
): Promise<void> {
  await trx.insertInto('statement_file').values({ business_id, delivery_id: id, pdf }).execute();
}

/** The file that the message of a statement carries. */
export async function findStatementFile(
  db: Database<DeliveryTables>,
  { business_id, id }: MessageKey,
): Promise<Buffer> {
  const { pdf } = await db
    .selectFrom('statement_file')
    .select('pdf')
    .where('business_id', '=', business_id)
    .where('delivery_id', '=', id)
    .executeTakeFirstOrThrow();
  return pdf;
}
