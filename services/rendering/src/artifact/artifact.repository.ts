import { createHash } from 'node:crypto';
import type { getArtifact, IssuedDocument, ReplyOf } from '@pinkas/contracts';
import { ApiError, type Database, type Transaction } from '@pinkas/service-kit';
import { sql } from 'kysely';
import { templateVersion } from '../document/printable-page.js';
import type { RenderingTables } from './artifact.tables.js';
import type { RenderedArtifact } from './pdf-service.js';

type Db = Database<RenderingTables>;
type Trx = Transaction<RenderingTables>;

/** The document that an artifact belongs to. */
export interface DocumentKey {
  readonly business_id: string;
  readonly document_id: string;
}

/** The key of a document in this service. */
export function keyOf(document: IssuedDocument): DocumentKey {
  return { business_id: document.business_id, document_id: document.id };
}

/** A revision without its PDF. */
export interface Revision {
  revision: number;
  request_sha256: Buffer;
  sha256: Buffer;
  size_bytes: number;
  allocation_number: string | null;
  number_pending: boolean;
  cancelled_at: Date | null;
  cancel_reason: string | null;
  confirmed_at: Date | null;
  published_at: Date | null;
}

const revisionColumns = [
  'revision',
  'request_sha256',
  'sha256',
  'size_bytes',
  'allocation_number',
  'number_pending',
  'cancelled_at',
  'cancel_reason',
  'confirmed_at',
  'published_at',
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
    .where('document_id', '=', key.document_id);
  const revisions = await (options.forUpdate ? query.forUpdate() : query).execute();
  return revisions.sort((a, b) => a.revision - b.revision);
}

/**
 * A revision with its PDF, as `getArtifact` returns it.
 * @param revision by default the latest.
 * @throws ApiError `not_found` where the document does not have it; Error where the bytes are not those that were signed.
 */
export async function findPdf(
  db: Db,
  key: DocumentKey,
  revision?: number,
): Promise<ReplyOf<typeof getArtifact>> {
  const artifact = await db
    .selectFrom('artifact')
    .select(['revision', 'sha256', 'pdf', 'cancelled_at', 'allocation_number'])
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .$if(revision !== undefined, (query) => query.where('revision', '=', revision ?? 0))
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!artifact) {
    throw new ApiError('not_found');
  }
  if (!createHash('sha256').update(artifact.pdf).digest().equals(artifact.sha256)) {
    throw new Error(`revision ${artifact.revision} of document ${key.document_id} does not have its hash`);
  }
  return {
    revision: artifact.revision,
    sha256: artifact.sha256.toString('hex'),
    pdf: artifact.pdf.toString('base64'),
    cancelled: artifact.cancelled_at !== null,
    allocation_number: artifact.allocation_number,
  };
}

/** The revisions of a document for reading, oldest first. */
export async function readRevisions(db: Db, key: DocumentKey) {
  return db
    .selectFrom('artifact')
    .select([
      'revision',
      'sha256',
      'size_bytes',
      'created_at',
      'original',
      'allocation_number',
      'cancelled_at',
    ])
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .orderBy('revision')
    .execute();
}

/** What the page says of the latest revision: the hashes that identify it and its certificate, and what it shows. */
export async function latestRevision(db: Db, key: DocumentKey) {
  return db
    .selectFrom('artifact')
    .select(['revision', 'sha256', 'certificate_sha256', 'cancelled_at', 'number_pending'])
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** @returns false where the revision exists already. */
export async function insertRevision(
  db: Db,
  key: DocumentKey,
  revision: {
    revision: number;
    request_sha256: Buffer;
    attempt: number | null;
    rendered: RenderedArtifact;
    confirmed: boolean;
  },
): Promise<boolean> {
  const { rendered } = revision;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('artifact')
    .values({
      business_id: key.business_id,
      document_id: key.document_id,
      revision: revision.revision,
      request_sha256: revision.request_sha256,
      attempt: revision.attempt,
      sha256: rendered.sha256,
      pdf: rendered.pdf,
      size_bytes: rendered.pdf.length,
      template_version: templateVersion,
      certificate_sha256: rendered.certificate,
      allocation_number: rendered.content.allocationNumber,
      number_pending: rendered.content.numberPending,
      cancelled_at: rendered.content.cancelledAt === null ? null : new Date(rendered.content.cancelledAt),
      cancel_reason: rendered.content.cancelReason ?? null,
      original: rendered.isOriginal,
      confirmed_at: revision.confirmed ? sql<Date>`now()` : null,
      published_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows !== 0n;
}

/** The document is issued: its artifacts are never deleted from now on. */
export async function confirm(db: Db, key: DocumentKey): Promise<void> {
  await db
    .updateTable('artifact')
    .set({ confirmed_at: sql`now()` })
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('confirmed_at', 'is', null)
    .execute();
}

/** Marks the revision that the customer gets as published, and confirmed with it. */
export async function markPublished(trx: Trx, key: DocumentKey, revision: number): Promise<void> {
  await trx
    .updateTable('artifact')
    .set({ confirmed_at: sql`coalesce(confirmed_at, now())`, published_at: sql`now()` })
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('revision', '=', revision)
    .execute();
}

/** Records that a PDF of this document may have left for the customer. Only the first release counts. */
export async function recordRelease(trx: Trx, key: DocumentKey, now: Date): Promise<void> {
  await trx
    .insertInto('artifact_release')
    .values({ business_id: key.business_id, document_id: key.document_id, released_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether a PDF of this document may have left for the customer. */
export async function isReleased(db: Db, key: DocumentKey): Promise<boolean> {
  const row = await db
    .selectFrom('artifact_release')
    .select('released_at')
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes what is not confirmed; with `olderThan`, only what an earlier attempt made. */
export async function deleteUnconfirmed(
  db: Db,
  key: DocumentKey,
  options: { olderThan?: number } = {},
): Promise<void> {
  let query = db
    .deleteFrom('artifact')
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('confirmed_at', 'is', null);
  if (options.olderThan !== undefined) {
    query = query.where('attempt', '<', options.olderThan);
  }
  await query.execute();
}

/** Documents whose artifact was stored before an instant and never confirmed, oldest first. */
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
