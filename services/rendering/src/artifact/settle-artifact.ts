import { type allocationSettled, consumers, type EventOf } from '@pinkas/contracts';
import { EventHandler, type OutboxTransaction } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import type { PlacedArtifact } from '../store/artifact.repository.js';
import type { DocumentChange } from './revision-policy.js';
import { SettledRevision } from './settled-revision.js';

type Settled = EventOf<typeof allocationSettled>;

const changeOf = ({ allocation, pending, refusal }: Settled): DocumentChange => ({
  allocationNumber: allocation.number,
  numberPending: pending,
  notDeductible: refusal?.decision === 'continue',
});

/** Decides which PDF the customer gets once a required allocation number is settled. */
@EventHandler(consumers.settleArtifact)
export class SettleArtifact {
  constructor(private readonly revision: SettledRevision) {}

  prepare(event: Settled): Promise<PlacedArtifact | null> {
    return this.revision.prepare(event, changeOf(event));
  }

  handle(
    event: Settled,
    trx: OutboxTransaction<RenderingTables>,
    rendered: PlacedArtifact | null,
  ): Promise<void> {
    return this.revision.handle(event, changeOf(event), trx, rendered);
  }
}
