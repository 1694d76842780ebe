import { type ReplyOf, type RequestOf, releaseArtifact } from '@pinkas/contracts';
import {
  ApiError,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import { findPdf, recordRelease } from './artifact.repository.js';
import { BookHash } from './book-hash.js';

/**
 * Returns the PDF that goes to the customer, and records that it may have left. Only one output may say 'מקור', so the lock of the
 * document's revisions orders releases and new revisions: a revision stored before the release leaves, one stored after is a
 * copy (ADR 0013). The accountant's copy is read with `getArtifact`.
 */
@Operation(releaseArtifact)
export class ReleaseArtifact {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly bookHash: BookHash,
  ) {}

  async handle(request: RequestOf<typeof releaseArtifact>): Promise<ReplyOf<typeof releaseArtifact>> {
    return forTenant(this.db, request.business_id)
      .transaction()
      .execute(async (trx) => {
        if (!(await recordRelease(trx, request, this.clock.now()))) {
          throw new ApiError('not_found');
        }
        // A statement of its own: one revision may have been stored while the lock was waited for.
        const { found, firstSha256 } = await findPdf(trx, request);
        this.bookHash.check(request, firstSha256, request.artifact_sha256);
        return found;
      });
  }
}
