import type { Database, Transaction } from '@pinkas/service-kit';
import { sql } from 'kysely';
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
  if (pdf === null) {
    throw new Error('the file of the statement was freed');
  }
  return pdf;
}

/** How many statements of a business were asked for since an instant. */
export async function countStatements(
  db: Transaction<DeliveryTables>,
  businessId: string,
  since: Date,
): Promise<number> {
  const { count } = await db
    .selectFrom('statement_file')
    .innerJoin('delivery', (join) =>
      join
        .onRef('delivery.business_id', '=', 'statement_file.business_id')
        .onRef('delivery.id', '=', 'statement_file.delivery_id'),
    )
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('statement_file.business_id', '=', businessId)
    .where('statement_file.pdf', 'is not', null)
    .where('delivery.created_at', '>=', since)
    .executeTakeFirstOrThrow();
  return count;
}

/** Keeps the hash alone of some files whose messages have ended before an instant. @returns how many. */
export async function forgetStatementFiles(
  all: Database<DeliveryTables>,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    update statement_file set sha256 = sha256(pdf), pdf = null
    where (business_id, delivery_id) in (
      select file.business_id, file.delivery_id
      from statement_file as file
      join delivery on delivery.business_id = file.business_id and delivery.id = file.delivery_id
      where file.pdf is not null and delivery.state in ('sent', 'failed', 'withdrawn')
        and coalesce(sent_at, failed_at, withdrawn_at) < ${before}
      limit ${limit})`.execute(all);
  return Number(numAffectedRows ?? 0);
}
