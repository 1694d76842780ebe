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
import { findPdf, recordRelease, revisionsOf } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';

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
  ) {}

  async handle(key: RequestOf<typeof releaseArtifact>): Promise<ReplyOf<typeof releaseArtifact>> {
    return forTenant(this.db, key.business_id)
      .transaction()
      .execute(async (trx) => {
        const revisions = await revisionsOf(trx, key, { forUpdate: true });
        if (revisions.length === 0) {
          throw new ApiError('not_found');
        }
        await recordRelease(trx, key, this.clock.now());
        // `revisions` lacks a revision that was stored while this transaction waited for the lock.
        return findPdf(trx, key);
      });
  }
}
