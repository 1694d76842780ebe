import type { AllocationOutcome, DeliveryOutcome } from '@pinkas/contracts';
import type { ReplyOutcomes } from './document.tables.js';

/** The outcome while the tax authority has not answered: allocation goes on by itself. */
const allocationPending: AllocationOutcome = {
  status: 'failed',
  number: null,
  reason:
    'The tax authority did not answer within the wait of the request; the request for a number goes on.',
};

/** The outcomes of a document that are known before its commit: allocation and delivery come to the same by the same rules. */
export interface KnownOutcomes {
  /** Null where an allocation number is required. */
  allocation: AllocationOutcome | null;
  delivery: DeliveryOutcome;
}

/** The recorded outcomes of a document; of allocation the pending one where none is recorded. */
export function withPendingOutcomes({ allocation, delivery }: KnownOutcomes): ReplyOutcomes {
  return { allocation: allocation ?? allocationPending, delivery };
}
