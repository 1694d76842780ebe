import type { AllocationOutcome, Business, DeliveryOutcome } from '@pinkas/contracts';
import type { ReplyOutcomes } from './document.tables.js';

/** The outcome while the tax authority has not answered: allocation goes on by itself. */
const allocationPending: AllocationOutcome = {
  status: 'failed',
  number: null,
  reason:
    'The tax authority did not answer within the wait of the request; the request for a number goes on.',
};

/**
 * The recorded outcomes of a document, with those that are still pending filled in.
 * @param channel the business's delivery channel.
 */
export function withPendingOutcomes(
  recorded: { allocation: AllocationOutcome | null; delivery: DeliveryOutcome | null },
  channel: Business['auto_send']['channel'] | null,
): ReplyOutcomes {
  return {
    allocation: recorded.allocation ?? allocationPending,
    // Only the previous release issued documents without the outcome of delivery.
    delivery: recorded.delivery ?? { status: 'queued', channel, scheduled_for: null },
  };
}
