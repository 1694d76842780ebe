import { type allocationSettled, consumers, type donationSettled, type EventOf } from '@pinkas/contracts';
import { EventHandler } from '@pinkas/service-kit';
import type { DocumentChange } from './revision-policy.js';
import { SettledRevision } from './settled-revision.js';

/** Decides which PDF the customer gets once a required allocation number is settled. */
@EventHandler(consumers.settleArtifact)
export class SettleArtifact extends SettledRevision<EventOf<typeof allocationSettled>> {
  protected changeOf({ allocation, pending, refusal }: EventOf<typeof allocationSettled>): DocumentChange {
    return {
      allocationNumber: allocation.number,
      numberPending: pending,
      notDeductible: refusal?.decision === 'continue',
    };
  }
}

/** Decides which PDF the donor gets once the report of a donation is settled, or cancelled. */
@EventHandler(consumers.settleDonation)
export class SettleDonation extends SettledRevision<EventOf<typeof donationSettled>> {
  protected changeOf({ donation }: EventOf<typeof donationSettled>): DocumentChange {
    return {
      allocationNumber: donation.number,
      numberPending: donation.status === 'pending',
      reportCancelled: donation.status === 'cancelled',
    };
  }
}
