import { allocationSettled, artifactRendered, type EventOf } from '@pinkas/contracts';
import { announce, Consumer, type Transaction } from '@pinkas/service-kit';
import { confirm, markAnnounced } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';
import type { PrintedArtifact } from './artifact-press.js';
import { FurtherRevision, keyOf } from './further-revision.js';

type Settled = EventOf<typeof allocationSettled>;

const newsOf = ({ allocation }: Settled) => ({ allocationNumber: allocation.number });

/**
 * Decides which PDF the customer gets, once the question of the allocation number has its answer: the first one, or a new
 * revision that bears the number. The number may also come long after; then the new revision follows the announced one.
 */
@Consumer(allocationSettled, 'rendering-settle-artifact')
export class SettleArtifact {
  constructor(private readonly further: FurtherRevision) {}

  prepare(event: Settled): Promise<PrintedArtifact | null> {
    return this.further.print(event, newsOf(event));
  }

  async handle(
    event: Settled,
    trx: Transaction<RenderingTables>,
    printed: PrintedArtifact | null,
  ): Promise<void> {
    const key = keyOf(event.document);
    const { latest, made, announced } = await this.further.store(trx, event, newsOf(event), printed);
    if (announced && !made) return;
    await markAnnounced(trx, key, latest.revision);
    // The first one was passed over for one with the number; it is kept all the same.
    if (latest.revision > 1) await confirm(trx, key);
    await announce(trx, artifactRendered, key.document_id, {
      business_id: key.business_id,
      document_id: key.document_id,
      revision: latest.revision,
      sha256: latest.sha256.toString('hex'),
      allocation_number: latest.allocation_number,
    });
  }
}
