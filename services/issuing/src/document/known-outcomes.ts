import {
  type AllocationOutcome,
  allocationPending,
  type DeliveryOutcome,
  type DonationOutcome,
} from '@pinkas/contracts';
import type { ReplyOutcomes } from './document.tables.js';

/** The outcome while the tax authority has not answered: the report goes on. */
export const donationPending: DonationOutcome = {
  status: 'pending',
  number: null,
  reason: 'The tax authority has not answered yet; the report goes on.',
};

/** The outcomes of a document that are known before its commit: allocation and delivery come to the same by the same rules. */
export interface KnownOutcomes {
  /** Null where an allocation number is required. */
  allocation: AllocationOutcome | null;
  delivery: DeliveryOutcome;
  /** Null where a donation is to be reported; undefined of another type than a donation receipt. */
  donation: DonationOutcome | null | undefined;
}

/** The recorded outcomes of a document; of the tax authority the pending one where none is recorded. */
export function withPendingOutcomes({ allocation, delivery, donation }: KnownOutcomes): ReplyOutcomes {
  return {
    allocation: allocation ?? allocationPending,
    delivery,
    ...(donation !== undefined && { donation: donation ?? donationPending }),
  };
}
