import type { Business, DonationOutcome, IssuedDocument } from '@pinkas/contracts';
import {
  type AllocationDecision,
  type AllocationOptions,
  decideAllocation,
  decideDonation,
} from '@pinkas/domain';
import { accountantAddress, decideDelivery, type RecipientCheck } from '@pinkas/domain/delivery';
import type { KnownOutcomes } from '../document/known-outcomes.js';

type NotRequested = Extract<AllocationDecision, { required: false }>;

/** What is decided of a document before its commit. */
export interface DecidedOutcomes extends KnownOutcomes {
  allocation: (Pick<NotRequested, 'status' | 'reason'> & { number: null }) | null;
  /** Whether delivery has a message to send, to whomever. */
  isMessageDue: boolean;
}

export function decideOutcomes(
  document: Omit<IssuedDocument, 'number'>,
  business: Business,
  recipient: RecipientCheck,
  options: AllocationOptions,
): DecidedOutcomes {
  const decision = decideAllocation(document, business, options);
  const { outcome, addresses } = decideDelivery(document, business, recipient);
  return {
    allocation: decision.required ? null : { status: decision.status, number: null, reason: decision.reason },
    delivery: outcome,
    donation: donationOutcome(document, business),
    isMessageDue: addresses.length > 0 || accountantAddress(business) !== null,
  };
}

/** Null where the donation is to be reported; undefined of another type. */
function donationOutcome(
  document: Omit<IssuedDocument, 'number'>,
  business: Business,
): DonationOutcome | null | undefined {
  if (document.type !== 'donation_receipt') {
    return undefined;
  }
  const decision = decideDonation(document, business);
  return decision.required ? null : { status: 'not_required', number: null, reason: decision.reason };
}
