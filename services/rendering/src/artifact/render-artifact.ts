import { createHash } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { type ReplyOf, type RequestOf, renderArtifact } from '@pinkas/contracts';
import { requiresNumber } from '@pinkas/domain';
import {
  ApiError,
  type Database,
  forTenant,
  InjectDatabase,
  Operation,
  remainingMs,
} from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import { LogoStore } from '../logo/logo.repository.js';
import { PdfService } from '../print/pdf-service.js';
import {
  type DocumentKey,
  deleteFirst,
  insertRevision,
  keyOf,
  type PlacedArtifact,
  revisionsOf,
} from '../store/artifact.repository.js';
import { ArtifactFiles } from '../store/artifact-files.js';

/**
 * Renders, signs and stores the first PDF of a document that is being issued. Issuing holds the lock of the series until then, so
 * the usual path is one rendering, one request to the object store where there is one, and one statement. A repeated request
 * returns the stored PDF.
 */
@Controller()
export class RenderArtifact {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly pdfs: PdfService,
    private readonly files: ArtifactFiles,
    private readonly logos: LogoStore,
  ) {}

  @Operation(renderArtifact)
  async handle(request: RequestOf<typeof renderArtifact>): Promise<ReplyOf<typeof renderArtifact>> {
    const { document, business, attempt } = request;
    const rendered = await this.pdfs.render({
      document,
      business,
      allocationNumber: null,
      numberPending: request.number_pending ?? requiresNumber(document, business),
      cancelledAt: null,
      output: 'original',
      logo: await this.logos.findLogo(business),
    });
    const placed = await this.files.place(keyOf(document), rendered);
    if (remainingMs(renderArtifact.timeoutMs) <= 0) {
      throw new ApiError('document_generation_failed', { cause: new Error('the time of the call is over') });
    }
    const requestSha256 = createHash('sha256').update(JSON.stringify(request)).digest();
    const stored = await this.#store(keyOf(document), {
      request_sha256: requestSha256,
      attempt,
      rendered: placed,
    });
    return {
      revision: 1,
      sha256: stored.sha256.toString('hex'),
      size_bytes: stored.size_bytes,
      render_ms: rendered.renderMs,
      sign_ms: rendered.signMs,
    };
  }

  /** @returns what is stored of the request: the given PDF, or the one that an earlier, equal request stored. */
  async #store(
    key: DocumentKey,
    made: { request_sha256: Buffer; attempt: number; rendered: PlacedArtifact },
  ): Promise<{ sha256: Buffer; size_bytes: number }> {
    const db = forTenant(this.db, key.business_id);
    const first = { revision: 1, ...made };
    const inserted = { sha256: made.rendered.sha256, size_bytes: made.rendered.pdf.length };
    if (await insertRevision(db, key, first)) {
      return inserted;
    }
    return db.transaction().execute(async (trx) => {
      // What an earlier attempt left of this document is replaced. One that outlives its caller may come after a later one.
      await deleteFirst(trx, key, { olderThan: made.attempt });
      if (await insertRevision(trx, key, first)) {
        return inserted;
      }
      const [stored] = await revisionsOf(trx, key);
      if (!stored?.request_sha256.equals(made.request_sha256)) {
        throw new ApiError('document_generation_failed', {
          cause: new Error(`document ${key.document_id} has an artifact of a later request, or a final one`),
        });
      }
      return stored;
    });
  }
}
