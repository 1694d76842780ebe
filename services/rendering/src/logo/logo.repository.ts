import { createHash } from 'node:crypto';
import type { Database } from '@pinkas/service-kit';
import type { RenderingTables } from '../artifact/artifact.tables.js';
import type { CleanLogo } from './logo.js';

type Db = Database<RenderingTables>;

/**
 * Keeps a picture, once however often it comes.
 * @returns its SHA-256, hex.
 */
export async function insertLogo(db: Db, businessId: string, logo: CleanLogo): Promise<string> {
  const sha256 = createHash('sha256').update(logo.bytes).digest();
  await db
    .insertInto('logo')
    .values({
      business_id: businessId,
      sha256,
      media_type: logo.mediaType,
      bytes: logo.bytes,
      width: logo.width,
      height: logo.height,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return sha256.toString('hex');
}

/** @returns the picture, or undefined. `sha256` is hex. */
export async function findLogo(db: Db, businessId: string, sha256: string) {
  return db
    .selectFrom('logo')
    .select(['media_type', 'bytes', 'width', 'height'])
    .where('business_id', '=', businessId)
    .where('sha256', '=', Buffer.from(sha256, 'hex'))
    .executeTakeFirst();
}
