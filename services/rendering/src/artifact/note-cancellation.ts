import { documentCancelled, type EventOf } from '@pinkas/contracts';
import { Consumer, type Transaction } from '@pinkas/service-kit';
import { confirm } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';
import type { PrintedArtifact } from './artifact-press.js';
import { FurtherRevision, keyOf } from './further-revision.js';

type Cancelled = EventOf<typeof documentCancelled>;

const newsOf = ({ cancelled_at }: Cancelled) => ({ cancelledAt: cancelled_at });

/**
 * Makes a revision that says that its document is cancelled, for the PDF's address, unless a visitor of that
 * address came first (`CancelArtifact`). It is not announced: nothing is to be sent because of it.
 */
@Consumer(documentCancelled, 'rendering-cancellations')
export class NoteCancellation {
  constructor(private readonly further: FurtherRevision) {}

  prepare(event: Cancelled): Promise<PrintedArtifact | null> {
    return this.further.print(event, newsOf(event));
  }

  async handle(
    event: Cancelled,
    trx: Transaction<RenderingTables>,
    printed: PrintedArtifact | null,
  ): Promise<void> {
    await this.further.store(trx, event, newsOf(event), printed);
    await confirm(trx, keyOf(event.document));
  }
}
