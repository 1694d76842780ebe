import type { AllocationOutcome, Business, DeliveryOutcome } from '@pinkas/contracts';
import type { CreationOutcomes } from './document.tables.js';

/** What is said while the tax authority has not answered; the step stays owed and completes by itself. */
const allocationPending: AllocationOutcome = {
  status: 'failed',
  number: null,
  reason:
    'The tax authority did not answer within the wait of the request; the request for a number goes on.',
};

/**
 * What is known of allocation and delivery, and for a step that is still open what a caller is told of it.
 * @param channel the business's channel of delivery.
 */
export function knownOutcomes(
  known: { allocation: AllocationOutcome | null; delivery: DeliveryOutcome | null },
  channel: Business['auto_send']['channel'] | null,
): CreationOutcomes {
  return {
    allocation: known.allocation ?? allocationPending,
    // The step is durably owed, so it is as good as queued.
    delivery: known.delivery ?? { status: 'queued', channel, scheduled_for: null },
  };
}
