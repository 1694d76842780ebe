import type { Database } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import { type DocumentKey, fileColumns, type StoredFile } from '../store/artifact.repository.js';
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

/** The file of one revision; undefined where it does not exist. */
export async function fileOf(
  db: Database<RenderingTables>,
  key: DocumentKey,
  revision: number,
): Promise<StoredFile | undefined> {
  return db
    .selectFrom('artifact')
    .select(['document_id', ...fileColumns])
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .where('revision', '=', revision)
    .executeTakeFirst();
}
