import { Injectable } from '@nestjs/common';
import type { Business, getArtifact, IssuedDocument, ReplyOf } from '@pinkas/contracts';
import { ApiError, type Database, forTenant, InjectDatabase } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import { findPdf, keyOf, revisionsOf } from '../store/artifact.repository.js';
import { ArtifactFiles } from '../store/artifact-files.js';
import { NextRevision, StaleRevisionError } from './next-revision.js';
import type { DocumentChange } from './revision-policy.js';

/** An attempt fails when another revision was stored while this one was rendered, which few can do. */
const attemptsMax = 3;

/** Makes the revision that a visitor must see, where its event has not made it yet. */
@Injectable()
export class RequestedRevision {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly revisions: NextRevision,
    private readonly files: ArtifactFiles,
  ) {}

  /**
   * @param change that only an issued document can have.
   * @returns the latest PDF, which shows the change.
   * @throws ApiError `not_found`, `document_generation_failed`.
   */
  async showing(
    source: { document: IssuedDocument; business: Business },
    change: DocumentChange,
  ): Promise<ReplyOf<typeof getArtifact>> {
    const key = keyOf(source.document);
    const db = forTenant(this.db, key.business_id);
    if ((await revisionsOf(db, key)).length === 0) {
      throw new ApiError('not_found');
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        const rendered = await this.revisions.render(source, change);
        await db.transaction().execute((trx) => this.revisions.store(trx, source, change, rendered));
        const { found, file } = await findPdf(db, key);
        return { ...found, pdf: (await this.files.bytesOf(file)).toString('base64') };
      } catch (error) {
        if (!(error instanceof StaleRevisionError)) {
          throw error;
        }
        if (attempt === attemptsMax) {
          throw new ApiError('document_generation_failed', { cause: error });
        }
      }
    }
  }
}
