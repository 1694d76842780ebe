import { consumers, type documentCancelled, type EventOf } from '@pinkas/contracts';
import { EventHandler, type Transaction } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import type { PlacedArtifact } from '../store/artifact.repository.js';
import { NextRevision } from './next-revision.js';
import type { DocumentChange } from './revision-policy.js';

type Cancelled = EventOf<typeof documentCancelled>;

const changeOf = ({ cancelled_at: cancelledAt, reason }: Cancelled): DocumentChange => ({
  cancelledAt,
  cancelReason: reason ?? null,
});

/**
 * Makes the revision that shows that its document is cancelled, unless `cancelArtifact` made it before. No event is published:
 * nothing is sent because of it.
 */
@EventHandler(consumers.renderCancellation)
export class RenderCancellation {
  constructor(private readonly revisions: NextRevision) {}

  async prepare(event: Cancelled): Promise<PlacedArtifact | null> {
    return (await this.revisions.isCleared(event.document))
      ? null
      : this.revisions.render(event, changeOf(event));
  }

  async handle(
    event: Cancelled,
    trx: Transaction<RenderingTables>,
    rendered: PlacedArtifact | null,
  ): Promise<void> {
    if (await this.revisions.isCleared(event.document, trx)) {
      return;
    }
    await this.revisions.store(trx, event, changeOf(event), rendered);
  }
}
