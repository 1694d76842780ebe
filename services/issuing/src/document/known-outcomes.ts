import type { AllocationOutcome, Business, DeliveryOutcome, IssuedDocument } from '@pinkas/contracts';
import { decideAllocation } from '@pinkas/domain';
import { decideDelivery, type RecipientCheck } from '@pinkas/domain/delivery';

/** The outcomes of a document that are known before its commit: allocation and delivery come to the same by the same rules. */
export interface KnownOutcomes {
  /** Null where an allocation number is required. */
  allocation: AllocationOutcome | null;
  delivery: DeliveryOutcome;
}

export function knownOutcomes(
  document: IssuedDocument,
  business: Business,
  recipient: RecipientCheck,
): KnownOutcomes {
  const decision = decideAllocation(document, business);
  return {
    allocation: decision.required ? null : { status: decision.status, number: null, reason: decision.reason },
    delivery: decideDelivery(document, business, recipient).outcome,
  };
}
