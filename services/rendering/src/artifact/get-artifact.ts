import { getArtifact, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness, Problem } from '@pinkas/service-kit';
import { latestArtifact } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';

/**
 * Reads the latest signed PDF of a document, confirmed or not: a caller that has its answer may come before the
 * confirmation does.
 */
@Operation(getArtifact)
export class GetArtifact {
  constructor(@InjectDatabase() private readonly db: Database<RenderingTables>) {}

  async handle(request: RequestOf<typeof getArtifact>): Promise<ReplyOf<typeof getArtifact>> {
    const artifact = await latestArtifact(ofBusiness(this.db, request.business_id), request);
    if (!artifact) throw new Problem('not_found');
    return {
      revision: artifact.revision,
      sha256: artifact.sha256.toString('hex'),
      pdf: artifact.pdf.toString('base64'),
    };
  }
}
