import { getArtifact, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import { findPdf } from './artifact.repository.js';
import { BookHash } from './book-hash.js';

/** Reads a signed PDF of a document, by default the latest. */
@Operation(getArtifact)
export class GetArtifact {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly bookHash: BookHash,
  ) {}

  async handle(request: RequestOf<typeof getArtifact>): Promise<ReplyOf<typeof getArtifact>> {
    const db = forTenant(this.db, request.business_id);
    const { found, firstSha256 } = await findPdf(db, request, request.revision);
    this.bookHash.check(request, firstSha256, request.artifact_sha256);
    return request.known_sha256?.includes(found.sha256) ? { ...found, pdf: '' } : found;
  }
}
