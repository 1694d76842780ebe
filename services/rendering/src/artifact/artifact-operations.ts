import { Controller } from '@nestjs/common';
import {
  cancelArtifact,
  getArtifact,
  listArtifacts,
  numberArtifact,
  type ReplyOf,
  type RequestOf,
  releaseArtifact,
} from '@pinkas/contracts';
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
import { findPdf, readRevisions, recordRelease } from '../store/artifact.repository.js';
import { ArtifactFiles } from '../store/artifact-files.js';
import { BookHash } from './book-hash.js';
import { RequestedRevision } from './requested-revision.js';

/** The stored PDFs of documents. */
@Controller()
export class ArtifactOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly bookHash: BookHash,
    private readonly files: ArtifactFiles,
    @InjectClock() private readonly clock: Clock,
    private readonly revisions: RequestedRevision,
  ) {}

  /** Reads a signed PDF of a document, by default the latest. */
  @Operation(getArtifact)
  async get(request: RequestOf<typeof getArtifact>): Promise<ReplyOf<typeof getArtifact>> {
    const db = forTenant(this.db, request.business_id);
    const { found, file, firstSha256 } = await findPdf(db, request, request.revision);
    this.bookHash.check(request, firstSha256, request.artifact_sha256);
    const isKnown = request.known_sha256?.includes(found.sha256);
    return { ...found, pdf: isKnown ? '' : (await this.files.bytesOf(file)).toString('base64') };
  }

  /** Lists the revisions of a document's PDF. */
  @Operation(listArtifacts)
  async list(request: RequestOf<typeof listArtifacts>): Promise<ReplyOf<typeof listArtifacts>> {
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

  /**
   * Returns the PDF that goes to the customer, and records that it may have left. Only one output may say 'מקור', so the lock of the
   * document's revisions orders releases and new revisions: a revision stored before the release leaves, one stored after is a
   * copy (ADR 0013). The accountant's copy is read with `getArtifact`.
   */
  @Operation(releaseArtifact)
  async release(request: RequestOf<typeof releaseArtifact>): Promise<ReplyOf<typeof releaseArtifact>> {
    return forTenant(this.db, request.business_id)
      .transaction()
      .execute(async (trx) => {
        if (!(await recordRelease(trx, request, this.clock.now()))) {
          throw new ApiError('not_found');
        }
        // A statement of its own: one revision may have been stored while the lock was waited for.
        const { found, file, firstSha256 } = await findPdf(trx, request);
        this.bookHash.check(request, firstSha256, request.artifact_sha256);
        // Where it cannot be read, nothing is released.
        return { ...found, pdf: (await this.files.bytesOf(file)).toString('base64') };
      });
  }

  /**
   * Makes the revision that shows that its document is cancelled, for a visitor who comes before the event is handled
   * (`RenderCancellation`) or after it is dead-lettered. The second of the two finds the work done.
   */
  @Operation(cancelArtifact)
  cancel(request: RequestOf<typeof cancelArtifact>): Promise<ReplyOf<typeof cancelArtifact>> {
    return this.revisions.showing(request, {
      cancelledAt: request.cancelled_at,
      cancelReason: request.reason ?? null,
    });
  }

  /**
   * Makes the revision that shows the allocation number, for a visitor who comes before the event is handled (`SettleArtifact`),
   * while the page and the reply of the HTTP API show the number already. The second of the two finds the work done.
   */
  @Operation(numberArtifact)
  number(request: RequestOf<typeof numberArtifact>): Promise<ReplyOf<typeof numberArtifact>> {
    return this.revisions.showing(request, { allocationNumber: request.allocation_number });
  }
}
