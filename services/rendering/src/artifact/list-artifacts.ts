import { listArtifacts, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import { readRevisions } from './artifact.repository.js';

/** Lists the revisions of a document's PDF. */
@Operation(listArtifacts)
export class ListArtifacts {
  constructor(@InjectDatabase() private readonly db: Database<RenderingTables>) {}

  async handle(request: RequestOf<typeof listArtifacts>): Promise<ReplyOf<typeof listArtifacts>> {
    const rows = await readRevisions(forTenant(this.db, request.business_id), request);
    return {
      revisions: rows.map((row) => ({
        revision: row.revision,
        sha256: row.sha256.toString('hex'),
        size_bytes: row.size_bytes,
        made_at: row.created_at.toISOString(),
        original: row.original,
        allocation_number: row.allocation_number,
        cancelled: row.cancelled_at !== null,
        ...(row.not_deductible && { not_deductible: true }),
      })),
    };
  }
}
