import { getArtifact, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { findPdf } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';

/** Reads a signed PDF of a document, by default the latest, confirmed or not: a caller may fetch it before the confirmation. */
@Operation(getArtifact)
export class GetArtifact {
  constructor(@InjectDatabase() private readonly db: Database<RenderingTables>) {}

  async handle(request: RequestOf<typeof getArtifact>): Promise<ReplyOf<typeof getArtifact>> {
    const found = await findPdf(forTenant(this.db, request.business_id), request, request.revision);
    return request.known_sha256?.includes(found.sha256) ? { ...found, pdf: '' } : found;
  }
}
