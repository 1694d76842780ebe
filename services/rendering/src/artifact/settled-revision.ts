import { Injectable } from '@nestjs/common';
import { artifactRendered, type Business, type IssuedDocument } from '@pinkas/contracts';
import { type OutboxTransaction, publish } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import { keyOf, markPublished, type PlacedArtifact } from '../store/artifact.repository.js';
import { BookHash } from './book-hash.js';
import { NextRevision } from './next-revision.js';
import type { DocumentChange } from './revision-policy.js';

/** A document for which the tax authority has answered. */
interface Settled {
  readonly document: IssuedDocument;
  readonly business: Business;
  /** Of the PDF that was made when the document was issued. */
  readonly artifact_sha256: string;
}

/**
 * Which PDF the customer gets once a required number of the tax authority is settled: the first revision, which states that a number is
 * being obtained, or a new one that shows the number, or that there is none to wait for. The number, or the end of the attempts, may also
 * come much later; the new revision then follows the published one.
 */
@Injectable()
export abstract class SettledRevision<E extends Settled> {
  constructor(
    private readonly revisions: NextRevision,
    private readonly bookHash: BookHash,
  ) {}

  protected abstract changeOf(event: E): DocumentChange;

  async prepare(event: E): Promise<PlacedArtifact | null> {
    return (await this.revisions.isCleared(event.document))
      ? null
      : this.revisions.render(event, this.changeOf(event));
  }

  async handle(
    event: E,
    trx: OutboxTransaction<RenderingTables>,
    rendered: PlacedArtifact | null,
  ): Promise<void> {
    const key = keyOf(event.document);
    if (await this.revisions.isCleared(event.document, trx)) {
      return;
    }
    const { firstSha256, latest, created, publishedBefore } = await this.revisions.store(
      trx,
      event,
      this.changeOf(event),
      rendered,
    );
    this.bookHash.check(key, firstSha256, event.artifact_sha256);
    // A visitor may have had the revision with the number made before (`numberArtifact`), which publishes nothing.
    const isNews = created || (latest.published_at === null && latest.cancelled_at === null);
    if (publishedBefore && !isNews) {
      return;
    }
    await markPublished(trx, key, latest.revision);
    await publish(trx, artifactRendered, key.document_id, {
      business_id: key.business_id,
      document_id: key.document_id,
      revision: latest.revision,
      sha256: latest.sha256.toString('hex'),
      allocation_number: latest.allocation_number,
      allocation_pending: latest.number_pending,
      ...(latest.report_cancelled && { report_cancelled: true }),
      ...(latest.not_deductible && { not_deductible: true }),
    });
  }
}
