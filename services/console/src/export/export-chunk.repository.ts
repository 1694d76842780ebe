import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { ConsoleTables } from '../session/session.tables.js';
import type { Claim } from './export.repository.js';

/** How many chunks one statement deletes at most: it ends within its time limit. */
const deletedMax = 100;

/**
 * Stores the next chunk of an attempt. The row of the export is locked, so that no other attempt begins meanwhile.
 * @returns whether the claim is still that of this attempt; without it nothing is stored.
 */
export async function insertChunk(
  db: Database<ConsoleTables>,
  { business_id, id, claim_id }: Claim,
  position: number,
  bytes: Buffer,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('export_chunk')
    .columns(['business_id', 'export_id', 'position', 'bytes'])
    .expression((select) =>
      select
        .selectFrom('export_job')
        .select([
          'business_id',
          'id',
          sql<number>`${position}::integer`.as('position'),
          sql<Buffer>`${bytes}::bytea`.as('bytes'),
        ])
        .where('business_id', '=', business_id)
        .where('id', '=', id)
        .where('claim_id', '=', claim_id)
        .where('state', '=', 'running')
        .forShare(),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** One chunk of a finished file; undefined after the last one, and where the file is not there. */
export async function readChunk(
  db: Database<ConsoleTables>,
  businessId: string,
  exportId: string,
  position: number,
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('export_chunk')
    .innerJoin('export_job', (join) =>
      join
        .onRef('export_job.business_id', '=', 'export_chunk.business_id')
        .onRef('export_job.id', '=', 'export_chunk.export_id'),
    )
    .select('export_chunk.bytes')
    .where('export_chunk.business_id', '=', businessId)
    .where('export_chunk.export_id', '=', exportId)
    .where('export_chunk.position', '=', position)
    .where('export_job.state', '=', 'done')
    .executeTakeFirst();
  return row?.bytes;
}

/** Deletes what earlier attempts have stored of an export, while the claim is that of this attempt. */
export async function deleteChunks(
  db: Database<ConsoleTables>,
  { business_id, id, claim_id }: Claim,
): Promise<void> {
  for (let deleted = deletedMax; deleted === deletedMax; ) {
    const { numDeletedRows } = await db
      .deleteFrom('export_chunk')
      .where('business_id', '=', business_id)
      .where('export_id', '=', id)
      .where('position', 'in', (select) =>
        select
          .selectFrom('export_chunk as earlier')
          .innerJoin('export_job', (join) =>
            join
              .onRef('export_job.business_id', '=', 'earlier.business_id')
              .onRef('export_job.id', '=', 'earlier.export_id'),
          )
          .select('earlier.position')
          .where('earlier.business_id', '=', business_id)
          .where('earlier.export_id', '=', id)
          .where('export_job.claim_id', '=', claim_id)
          .where('export_job.state', '=', 'running')
          .limit(deletedMax),
      )
      .executeTakeFirstOrThrow();
    deleted = Number(numDeletedRows);
  }
}

/** Deletes some chunks of exports that have expired or failed. @returns whether there may be more. */
export async function deleteUnusedChunks(db: Database<ConsoleTables>): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('export_chunk')
    .where((where) =>
      where(
        where.refTuple('business_id', 'export_id', 'position'),
        'in',
        where
          .selectFrom('export_job')
          .innerJoin('export_chunk as unused', (join) =>
            join
              .onRef('unused.business_id', '=', 'export_job.business_id')
              .onRef('unused.export_id', '=', 'export_job.id'),
          )
          .select(['unused.business_id', 'unused.export_id', 'unused.position'])
          .where('export_job.state', 'in', ['expired', 'failed'])
          .limit(deletedMax)
          .$asTuple('business_id', 'export_id', 'position'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows) === deletedMax;
}
