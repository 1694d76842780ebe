import { getArtifact, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness } from '@pinkas/service-kit';
import type { RenderingTables } from './artifact.tables.js';
import { latestSignedPdf } from './signed-pdf.js';

/**
 * Reads the latest signed PDF of a document, confirmed or not: a caller that has its answer may come before the
 * confirmation does.
 */
@Operation(getArtifact)
export class GetArtifact {
  constructor(@InjectDatabase() private readonly db: Database<RenderingTables>) {}

  async handle(request: RequestOf<typeof getArtifact>): Promise<ReplyOf<typeof getArtifact>> {
    return latestSignedPdf(ofBusiness(this.db, request.business_id), request);
  }
}
