import type { Database, Transaction } from '@pinkas/service-kit';
import { sql } from 'kysely';
import { templateVersion } from '../document/printed-document.js';
import type { RenderingTables } from './artifact.tables.js';
import type { PrintedArtifact } from './artifact-press.js';

type Db = Database<RenderingTables>;
type Trx = Transaction<RenderingTables>;

/** Which document an artifact is of. */
export interface DocumentKey {
  readonly business_id: string;
  readonly document_id: string;
}

/** A revision without its PDF. */
export interface Revision {
  revision: number;
  request_sha256: Buffer;
  sha256: Buffer;
  size_bytes: number;
  allocation_number: string | null;
  cancelled_at: Date | null;
  confirmed_at: Date | null;
  announced_at: Date | null;
}

const revisionColumns = [
  'revision',
  'request_sha256',
  'sha256',
  'size_bytes',
  'allocation_number',
  'cancelled_at',
  'confirmed_at',
  'announced_at',
] as const;

/** The revisions of a document, oldest first. Pass `forUpdate` inside a transaction that will add to them. */
export async function revisionsOf(
  db: Db,
  key: DocumentKey,
  options: { forUpdate?: boolean } = {},
): Promise<Revision[]> {
  const query = db
    .selectFrom('artifact')
    .select(revisionColumns)
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .orderBy('revision');
  return (options.forUpdate ? query.forUpdate() : query).execute();
}

/** The latest revision with its PDF. */
export async function latestArtifact(
  db: Db,
  key: DocumentKey,
): Promise<{ revision: number; sha256: Buffer; pdf: Buffer; cancelled_at: Date | null } | undefined> {
  return db
    .selectFrom('artifact')
    .select(['revision', 'sha256', 'pdf', 'cancelled_at'])
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** By what the latest revision is known, without its PDF. */
export async function latestFingerprints(db: Db, key: DocumentKey) {
  return db
    .selectFrom('artifact')
    .select(['revision', 'sha256', 'certificate_sha256', 'cancelled_at'])
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** @returns whether it was stored; false: there is such a revision already. */
export async function insertRevision(
  db: Db,
  key: DocumentKey,
  revision: {
    revision: number;
    request_sha256: Buffer;
    printed: PrintedArtifact;
    confirmed: boolean;
  },
): Promise<boolean> {
  const { printed } = revision;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('artifact')
    .values({
      business_id: key.business_id,
      document_id: key.document_id,
      revision: revision.revision,
      request_sha256: revision.request_sha256,
      sha256: printed.sha256,
      pdf: printed.pdf,
      size_bytes: printed.pdf.length,
      template_version: templateVersion,
      certificate_sha256: printed.certificate,
      allocation_number: printed.shows.allocationNumber,
      cancelled_at: printed.shows.cancelledAt === null ? null : new Date(printed.shows.cancelledAt),
      confirmed_at: revision.confirmed ? sql<Date>`now()` : null,
      announced_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows !== 0n;
}

/** The document is in the book: its first artifact stays for ever. */
export async function confirm(db: Db, key: DocumentKey): Promise<void> {
  await db
    .updateTable('artifact')
    .set({ confirmed_at: sql`now()` })
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('confirmed_at', 'is', null)
    .execute();
}

/** This revision is the one that the customer gets, and stays for ever. */
export async function markAnnounced(trx: Trx, key: DocumentKey, revision: number): Promise<void> {
  await trx
    .updateTable('artifact')
    .set({ confirmed_at: sql`coalesce(confirmed_at, now())`, announced_at: sql`now()` })
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('revision', '=', revision)
    .execute();
}

/** A PDF of this document is on its way to the customer. */
export async function noteDelivered(trx: Trx, key: DocumentKey, now: Date): Promise<void> {
  await trx
    .insertInto('delivered')
    .values({ business_id: key.business_id, document_id: key.document_id, delivered_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether a PDF of this document may have reached the customer. */
export async function isDelivered(db: Db, key: DocumentKey): Promise<boolean> {
  const row = await db
    .selectFrom('delivered')
    .select('delivered_at')
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes what is not confirmed; with `exceptRequest`, only what another request made. */
export async function deleteUnconfirmed(
  db: Db,
  key: DocumentKey,
  options: { exceptRequest?: Buffer } = {},
): Promise<void> {
  let query = db
    .deleteFrom('artifact')
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('confirmed_at', 'is', null);
  if (options.exceptRequest) query = query.where('request_sha256', '<>', options.exceptRequest);
  await query.execute();
}

/** Documents whose artifact was made before an instant and never confirmed, oldest first. */
export async function unconfirmedBefore(db: Db, before: Date, limit: number): Promise<DocumentKey[]> {
  return db
    .selectFrom('artifact')
    .select(['business_id', 'document_id'])
    .where('confirmed_at', 'is', null)
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(limit)
    .execute();
}
