import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { RenderingTables } from '../db/artifact.tables.js';
import type { DocumentKey } from '../store/artifact.repository.js';

/** A revision that was found, with the number of the latest one of its document. */
export interface FoundArtifact {
  business_id: string;
  document_id: string;
  sha256: Buffer;
  revision: number;
  certificate_sha256: Buffer;
  latest_revision: number;
}

const columns = ['business_id', 'document_id', 'sha256', 'revision', 'certificate_sha256'] as const;
const latest = sql<number>`(
  select max(later.revision) from artifact as later
  where later.business_id = artifact.business_id and later.document_id = artifact.document_id)`;

/** The revisions with one of these hashes, of whatever businesses the connection sees. */
export async function artifactWithHash(
  db: Database<RenderingTables>,
  sha256s: readonly Buffer[],
): Promise<FoundArtifact[]> {
  if (sha256s.length === 0) {
    return [];
  }
  return db
    .selectFrom('artifact')
    .select(columns)
    .select(latest.as('latest_revision'))
    .where('sha256', 'in', sha256s)
    .execute();
}

/** The latest revision of a document. */
export async function artifactOf(
  db: Database<RenderingTables>,
  key: DocumentKey,
): Promise<FoundArtifact | undefined> {
  return db
    .selectFrom('artifact')
    .select(columns)
    .select(latest.as('latest_revision'))
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
}
