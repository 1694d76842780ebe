import type { AllocatedDocument, AllocatingBusiness, AllocationOptions } from '../allocation-decision.js';
import * as law from '../donation/donation-decision.js';
import { decideAllocation } from './provoked-allocation.js';
import { type BookedDocument, provokedOutcomes } from './provoked-outcomes.js';

type Document = law.DonatedDocument & BookedDocument;

/** The decision of the law, unless an item of a test document that may be reported provokes another one (ADR 0052). */
export function decideDonation(document: Document, business: law.DonatedBusiness): law.DonationDecision {
  const provoked = provokedOutcomes(document.business_id, document).donation;
  // A receipt about no amount has no report whose outcome could be provoked.
  if (provoked === undefined || law.unreportedReason(document) !== null || document.totals.total === 0) {
    return law.decideDonation(document, business);
  }
  return provoked === 'not_required'
    ? { required: false, reason: 'An item of the test document provokes this outcome.' }
    : { required: true };
}

/**
 * Whether a receipt gives its donor no credit for the one reason that no one reports it from here: its institution is approved, and the
 * report is not made.
 */
export function lacksDonationReport(document: Document, business: law.DonatedBusiness): boolean {
  return law.isCreditedByReport(document, business) && !decideDonation(document, business).required;
}

/** Whether a donation is not reported for one reason alone: its institution is not connected. */
export function lacksReportUnconnected(document: Document, business: law.DonatedBusiness): boolean {
  const connected = { ...business, tax_authority_connected: true };
  return !decideDonation(document, business).required && law.decideDonation(document, connected).required;
}

/**
 * Whether a document gets a number of the tax authority after its commit: an allocation number, or that of a donation report. No type
 * gets both.
 */
export function requiresNumber(
  document: AllocatedDocument & Document,
  business: AllocatingBusiness & law.DonatedBusiness,
  options: AllocationOptions = {},
): boolean {
  return (
    decideAllocation(document, business, options).required || decideDonation(document, business).required
  );
}
