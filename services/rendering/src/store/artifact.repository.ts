import type { getArtifact, IssuedDocument, ReplyOf } from '@pinkas/contracts';
import { ApiError, type Database, type Transaction } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { RenderingTables } from '../db/artifact.tables.js';
import { templateVersion } from '../document/printable-page.js';
import type { RenderedArtifact } from '../print/pdf-service.js';

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
  report_cancelled: boolean;
  not_deductible: boolean;
  cancelled_at: Date | null;
  cancel_reason: string | null;
  published_at: Date | null;
}

const revisionColumns = [
  'revision',
  'request_sha256',
  'sha256',
  'size_bytes',
  'allocation_number',
  'number_pending',
  'report_cancelled',
  'not_deductible',
  'cancelled_at',
  'cancel_reason',
  'published_at',
] as const;

/** The columns of a row that describe its file. */
export interface StoredFile {
  readonly document_id: string;
  readonly revision: number;
  readonly sha256: Buffer;
  readonly size_bytes: number;
  /** Null: it is in the object store. */
  readonly pdf: Buffer | null;
  /** Null: it is in the row. */
  readonly object_key: string | null;
}

/** A signed PDF that has its place, and no row yet. */
export interface PlacedArtifact extends RenderedArtifact {
  /** Null: it is to be stored in the row. */
  readonly objectKey: string | null;
}

/** The columns of a {@link StoredFile}. */
export const fileColumns = ['revision', 'sha256', 'size_bytes', 'pdf', 'object_key'] as const;

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

/** A revision as `getArtifact` returns it, without its PDF, and where that is. */
interface FoundPdf {
  readonly found: Omit<ReplyOf<typeof getArtifact>, 'pdf'>;
  readonly file: StoredFile;
  /** Of the PDF that was made when the document was issued. */
  readonly firstSha256: Buffer;
}

/**
 * @param revision by default the latest.
 * @throws ApiError `not_found` where the document does not have it.
 */
export async function findPdf(db: Db, key: DocumentKey, revision?: number): Promise<FoundPdf> {
  const artifact = await db
    .selectFrom('artifact')
    .select([
      ...fileColumns,
      'cancelled_at',
      'allocation_number',
      'report_cancelled',
      'not_deductible',
      sql<Buffer>`(
        select sha256 from artifact as first
        where first.business_id = artifact.business_id and first.document_id = artifact.document_id and first.revision = (
          select min(revision) from artifact as any_revision
          where any_revision.business_id = artifact.business_id and any_revision.document_id = artifact.document_id))`.as(
        'first_sha256',
      ),
    ])
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    // Without an order, so that it is prepared.
    .where(
      'revision',
      '=',
      sql<number>`coalesce(${revision ?? null}::integer, (
        select max(revision) from artifact as any_revision
        where any_revision.business_id = ${key.business_id} and any_revision.document_id = ${key.document_id}))`,
    )
    .executeTakeFirst();
  if (!artifact) {
    throw new ApiError('not_found');
  }
  const found = {
    revision: artifact.revision,
    sha256: artifact.sha256.toString('hex'),
    cancelled: artifact.cancelled_at !== null,
    allocation_number: artifact.allocation_number,
    ...(artifact.report_cancelled && { report_cancelled: true }),
    ...(artifact.not_deductible && { not_deductible: true }),
  };
  return { found, file: { document_id: key.document_id, ...artifact }, firstSha256: artifact.first_sha256 };
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
      'not_deductible',
      'cancelled_at',
    ])
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .orderBy('revision')
    .execute();
}

/** What the page states of the latest revision: the hashes that identify it and its certificate, and what it shows. */
export async function latestRevision(db: Db, key: DocumentKey) {
  return db
    .selectFrom('artifact')
    .select(['revision', 'sha256', 'certificate_sha256', 'cancelled_at', 'number_pending', 'not_deductible'])
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
    rendered: PlacedArtifact;
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
      pdf: rendered.objectKey === null ? rendered.pdf : null,
      object_key: rendered.objectKey,
      size_bytes: rendered.pdf.length,
      template_version: templateVersion,
      certificate_sha256: rendered.certificate,
      allocation_number: rendered.content.allocationNumber,
      number_pending: rendered.content.numberPending,
      report_cancelled: rendered.content.reportCancelled === true,
      not_deductible: rendered.content.notDeductible === true,
      cancelled_at: rendered.content.cancelledAt === null ? null : new Date(rendered.content.cancelledAt),
      cancel_reason: rendered.content.cancelReason ?? null,
      original: rendered.isOriginal,
      published_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows !== 0n;
}

/** Marks the revision that the customer gets as published. */
export async function markPublished(trx: Trx, key: DocumentKey, revision: number): Promise<void> {
  await trx
    .updateTable('artifact')
    .set({ published_at: sql`now()` })
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('revision', '=', revision)
    .execute();
}

/**
 * Locks the revisions of a document, and records that a PDF of it may have left for the customer; only the first release counts.
 * @returns whether there is a revision.
 */
export async function recordRelease(trx: Trx, key: DocumentKey, now: Date): Promise<boolean> {
  const { rows } = await sql`
    with locked as (
      select business_id, document_id from artifact
      where business_id = ${key.business_id} and document_id = ${key.document_id} for update
    ), released as (
      insert into artifact_release (business_id, document_id, released_at)
      select distinct business_id, document_id, ${now}::timestamptz from locked
      on conflict do nothing
    )
    select from locked`.execute(trx);
  return rows.length > 0;
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

/**
 * Deletes the first revision of a document, unless the document is issued as far as is known here; with `olderThan`, only one that
 * an earlier attempt made.
 */
export async function deleteFirst(
  db: Db,
  key: DocumentKey,
  { olderThan }: { olderThan?: number } = {},
): Promise<void> {
  await sql`
    delete from artifact
    where business_id = ${key.business_id} and document_id = ${key.document_id} and revision = 1
      and attempt < coalesce(${olderThan ?? null}::integer, attempt + 1)
      and created_at > (select compared_until from artifact_comparison)
      and not exists (
        select from artifact_release where business_id = ${key.business_id} and document_id = ${key.document_id})
      and not exists (
        select from artifact as later
        where later.business_id = ${key.business_id} and later.document_id = ${key.document_id} and later.revision > 1)
  `.execute(db);
}

/** The first revisions that are to be compared with the book next. Instants as text: a Date has no microseconds. */
interface Uncompared {
  readonly since: string;
  readonly until: string | null;
  readonly documents: DocumentKey[];
}

/** The oldest first revisions before an instant that were not compared with the book. */
export async function uncomparedBefore(db: Db, before: Date, limit: number): Promise<Uncompared> {
  const { rows } = await sql<Uncompared>`
    with page as (
      select business_id, document_id, created_at from artifact
      where revision = 1 and created_at < ${before}
        and created_at > (select compared_until from artifact_comparison)
      order by created_at limit ${limit}
    )
    select compared_until::text as since,
      (select max(created_at)::text from page) as until,
      (select coalesce(json_agg(json_build_object('business_id', business_id, 'document_id', document_id)), '[]') from page)
        as documents
    from artifact_comparison`.execute(db);
  return rows[0] ?? { since: '-infinity', until: null, documents: [] };
}

/** Locks how far was compared. @returns whether it is still as it was read. */
export async function lockComparison(trx: Trx, since: string): Promise<boolean> {
  const { rows } = await sql`
    select from artifact_comparison where compared_until = ${since}::timestamptz for update`.execute(trx);
  return rows.length > 0;
}

/** From now on no first revision that was stored up to an instant is deleted. */
export async function setComparedUntil(trx: Trx, until: string): Promise<void> {
  await trx
    .updateTable('artifact_comparison')
    .set({ compared_until: sql<Date>`${until}::timestamptz` })
    .execute();
}
