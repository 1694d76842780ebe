import { type allocationSettled, artifactRendered, consumers, type EventOf } from '@pinkas/contracts';
import {
  type Counter,
  EventHandler,
  InjectLogger,
  type Logger,
  Metrics,
  type OutboxTransaction,
  publish,
} from '@pinkas/service-kit';
import { confirm, keyOf, markPublished } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';
import { NextRevision } from './next-revision.js';
import type { RenderedArtifact } from './pdf-service.js';
import type { DocumentChange } from './revision-policy.js';

type Settled = EventOf<typeof allocationSettled>;

const changeOf = ({ allocation, pending }: Settled): DocumentChange => ({
  allocationNumber: allocation.number,
  numberPending: pending,
});

/**
 * Decides which PDF the customer gets once the allocation is settled: the first revision, which says that a number is being
 * obtained where one is needed, or a new one that shows the number, or that there is none to wait for. The number, or the end of
 * the attempts, may also come much later; the new revision then follows the published one.
 */
@EventHandler(consumers.settleArtifact)
export class SettleArtifact {
  readonly #mismatches: Counter;

  constructor(
    private readonly revisions: NextRevision,
    @InjectLogger() private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.#mismatches = metrics.counter(
      'pinkas_artifact_mismatches_total',
      'Attempts to publish a PDF that were refused because the first one is not that whose hash is in the book.',
    );
  }

  async prepare(event: Settled): Promise<RenderedArtifact | null> {
    return (await this.revisions.isCleared(event.document))
      ? null
      : this.revisions.render(event, changeOf(event));
  }

  async handle(
    event: Settled,
    trx: OutboxTransaction<RenderingTables>,
    rendered: RenderedArtifact | null,
  ): Promise<void> {
    const key = keyOf(event.document);
    if (await this.revisions.isCleared(event.document, trx)) {
      return;
    }
    const { firstSha256, latest, created, publishedBefore } = await this.revisions.store(
      trx,
      event,
      changeOf(event),
      rendered,
    );
    this.#checkBookHash(event, firstSha256.toString('hex'));
    // A visitor may have had the revision with the number made before (`NumberArtifact`), which publishes nothing.
    const isNews = created || (latest.published_at === null && latest.cancelled_at === null);
    if (publishedBefore && !isNews) {
      return;
    }
    await markPublished(trx, key, latest.revision);
    // The first revision is not the published one, and is stored for ever all the same.
    if (latest.revision > 1) {
      await confirm(trx, key);
    }
    await publish(trx, artifactRendered, key.document_id, {
      business_id: key.business_id,
      document_id: key.document_id,
      revision: latest.revision,
      sha256: latest.sha256.toString('hex'),
      allocation_number: latest.allocation_number,
      allocation_pending: latest.number_pending,
    });
  }
  /** @throws where the PDF that issuing has entered into its book was replaced: none of the document is sent. */
  #checkBookHash({ document: { id }, artifact_sha256: expected }: Settled, stored: string): void {
    if (stored !== expected) {
      this.#mismatches.inc();
      this.logger.error({ document_id: id, stored, expected }, 'artifact differs from the book');
      throw new Error(`revision 1 has the hash ${stored}, and the book ${expected}`);
    }
  }
}
