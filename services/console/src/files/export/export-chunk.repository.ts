import type { Database } from '@pinkas/service-kit';
import { type RawBuilder, sql } from 'kysely';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { Claim } from './export.repository.js';

/** How many chunks one statement deletes at most: it ends within its time limit. */
const deletedMax = 100;

/**
 * Stores the next chunk of an attempt. The row of the export is locked, so that no other attempt begins, and that of the
 * volume, so that all processes together store no more than they may.
 * @param maxBytes how many bytes the chunks of all exports may have together.
 * @returns `lost`: the claim is no longer that of this attempt; then, and where it is `full`, nothing is stored.
 */
export async function insertChunk(
  db: Database<ConsoleTables>,
  { business_id, id, claim_id }: Claim,
  position: number,
  bytes: Buffer,
  maxBytes: number,
): Promise<'stored' | 'lost' | 'full'> {
  const { rows } = await sql<{ claimed: boolean; stored: boolean }>`
    with claimed as (
      select business_id, id from export_job
      where business_id = ${business_id} and id = ${id} and claim_id = ${claim_id} and state = 'running'
      for share
    ), room as (
      update export_volume set stored_bytes = stored_bytes + ${bytes.length}::bigint
      from claimed
      where stored_bytes + ${bytes.length}::bigint <= ${maxBytes}::bigint
      returning claimed.business_id, claimed.id
    ), stored as (
      insert into export_chunk (business_id, export_id, position, bytes)
      select business_id, id, ${position}::integer, ${bytes}::bytea from room
      returning position
    )
    select exists (select from claimed) as claimed, exists (select from stored) as stored
  `.execute(db);
  const [outcome] = rows;
  if (outcome?.stored) {
    return 'stored';
  }
  return outcome?.claimed ? 'full' : 'lost';
}

/** How many bytes the chunks of all exports have together. */
export async function storedBytes(db: Database<ConsoleTables>): Promise<number> {
  const { stored_bytes } = await db
    .selectFrom('export_volume')
    .select('stored_bytes')
    .executeTakeFirstOrThrow();
  return stored_bytes;
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
  const some = () =>
    deleteSome(
      db,
      sql`select chunk.business_id, chunk.export_id, chunk.position
        from export_chunk as chunk join export_job as job on job.business_id = chunk.business_id and job.id = chunk.export_id
        where job.business_id = ${business_id} and job.id = ${id} and job.claim_id = ${claim_id} and job.state = 'running'`,
    );
  while (await some()) {}
}

/** Deletes some chunks of exports that have expired or failed. @returns whether there may be more. */
export function deleteUnusedChunks(db: Database<ConsoleTables>): Promise<boolean> {
  return deleteSome(
    db,
    sql`select chunk.business_id, chunk.export_id, chunk.position
      from export_job as job join export_chunk as chunk on chunk.business_id = job.business_id and chunk.export_id = job.id
      where job.state in ('expired', 'failed')`,
  );
}

/** Deletes some of the chunks with these keys, and counts them off the volume. @returns whether there may be more. */
async function deleteSome(db: Database<ConsoleTables>, keys: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    with deleted as (
      delete from export_chunk where (business_id, export_id, position) in (${keys} limit ${deletedMax})
      returning octet_length(bytes) as size
    ), freed as (
      update export_volume set stored_bytes = stored_bytes - total.bytes
      from (select sum(size) as bytes from deleted) as total
      where total.bytes > 0
    )
    select count(*)::integer as count from deleted
  `.execute(db);
  return rows[0]?.count === deletedMax;
}
