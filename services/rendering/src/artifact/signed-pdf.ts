import type { getArtifact, ReplyOf } from '@pinkas/contracts';
import { type Database, Problem } from '@pinkas/service-kit';
import { type DocumentKey, latestArtifact } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';

/**
 * The latest revision as those who ask for it are told of it.
 * @throws Problem `not_found` where the document has none.
 */
export async function latestSignedPdf(
  db: Database<RenderingTables>,
  key: DocumentKey,
): Promise<ReplyOf<typeof getArtifact>> {
  const artifact = await latestArtifact(db, key);
  if (!artifact) throw new Problem('not_found');
  return {
    revision: artifact.revision,
    sha256: artifact.sha256.toString('hex'),
    pdf: artifact.pdf.toString('base64'),
    cancelled: artifact.cancelled_at !== null,
  };
}
