import { consumers, type donationSettled, type EventOf } from '@pinkas/contracts';
import { EventHandler, type OutboxTransaction } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import type { PlacedArtifact } from '../store/artifact.repository.js';
import type { DocumentChange } from './revision-policy.js';
import { SettledRevision } from './settled-revision.js';

type Settled = EventOf<typeof donationSettled>;

const changeOf = ({ donation }: Settled): DocumentChange => ({
  allocationNumber: donation.number,
  numberPending: donation.status === 'pending',
  reportCancelled: donation.status === 'cancelled',
});

/** Decides which PDF the donor gets once the report of a donation is settled, or cancelled. */
@EventHandler(consumers.settleDonation)
export class SettleDonation {
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
