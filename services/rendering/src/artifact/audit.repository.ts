import type { Database } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import type { DocumentKey } from './artifact.repository.js';
import type { RevisionFacts } from './verify-artifact.js';

/** All revisions of a document without their PDFs, oldest first. */
export async function revisionFacts(
  db: Database<RenderingTables>,
  key: DocumentKey,
): Promise<RevisionFacts[]> {
  return db
    .selectFrom('artifact')
    .select([
      'revision',
      'sha256',
      'certificate_sha256',
      'allocation_number',
      'number_pending',
      'report_cancelled',
      'cancelled_at',
      'published_at',
    ])
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .orderBy('revision')
    .execute();
}

/** The bytes of one revision; undefined where it does not exist. */
export async function pdfOf(
  db: Database<RenderingTables>,
  key: DocumentKey,
  revision: number,
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('artifact')
    .select('pdf')
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('revision', '=', revision)
    .executeTakeFirst();
  return row?.pdf;
}
