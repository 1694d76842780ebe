import {
  type AllocationOutcome,
  allocationPending,
  type Business,
  type DeliveryOutcome,
  type DonationOutcome,
  type IssuedDocument,
} from '@pinkas/contracts';
import {
  type AllocationDecision,
  type AllocationOptions,
  decideAllocation,
  decideDonation,
} from '@pinkas/domain';
import { accountantAddress, decideDelivery, type RecipientCheck } from '@pinkas/domain/delivery';
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

type NotRequested = Extract<AllocationDecision, { required: false }>;

/** Those outcomes as they are decided, and whether there is a message. */
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
