import { getArtifact, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { latestPdf } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';

/** Reads the latest signed PDF of a document, confirmed or not: a caller may fetch it before the confirmation. */
@Operation(getArtifact)
export class GetArtifact {
  constructor(@InjectDatabase() private readonly db: Database<RenderingTables>) {}

  async handle(request: RequestOf<typeof getArtifact>): Promise<ReplyOf<typeof getArtifact>> {
    const latest = await latestPdf(forTenant(this.db, request.business_id), request);
    return request.known_sha256?.includes(latest.sha256) ? { ...latest, pdf: '' } : latest;
  }
}
