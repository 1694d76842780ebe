import type { AllocationOutcome, Business, DeliveryOutcome, IssuedDocument } from '@pinkas/contracts';
import { decideAllocation } from '@pinkas/domain';
import { accountantAddress, decideDelivery, type RecipientCheck } from '@pinkas/domain/delivery';
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

/** What is decided of a document before its commit. */
export interface DecidedOutcomes extends KnownOutcomes {
  /** Whether delivery has a message to send, to whomever. */
  isMessageDue: boolean;
}

export function decideOutcomes(
  document: IssuedDocument,
  business: Business,
  recipient: RecipientCheck,
): DecidedOutcomes {
  const decision = decideAllocation(document, business);
  const { outcome, addresses } = decideDelivery(document, business, recipient);
  return {
    allocation: decision.required ? null : { status: decision.status, number: null, reason: decision.reason },
    delivery: outcome,
    isMessageDue: addresses.length > 0 || accountantAddress(business) !== null,
  };
}

/** The recorded outcomes of a document; of allocation the pending one where none is recorded. */
export function withPendingOutcomes({ allocation, delivery }: KnownOutcomes): ReplyOutcomes {
  return { allocation: allocation ?? allocationPending, delivery };
}
