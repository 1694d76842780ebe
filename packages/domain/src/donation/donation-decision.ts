import { type AllocatedDocument, type AllocatingBusiness, decideAllocation } from '../allocation-decision.js';
import type { BusinessLegalType, DocumentType } from '../document-types.js';
import { type ItemsWithSku, provokedOutcomes } from '../test-mode.js';

/**
 * The first document date whose donations are reported (Income Tax Ordinance, section 46, as of 1 January 2026): from then on a
 * receipt gives its donor a credit only where it was reported.
 */
export const donationsReportedFrom = '2026-01-01';

const institutions: readonly (BusinessLegalType | null)[] = ['amuta', 'public_institution'];

/** What the decision depends on of a document. */
export interface DonatedDocument extends ItemsWithSku {
  /** The book; a document of a test book may provoke its outcome (`testSkus`). */
  readonly business_id: string;
  readonly type: DocumentType;
  /** YYYY-MM-DD */
  readonly date: string;
  /** ILS */
  readonly totals: { readonly total: number };
}

/** The approval of an institution under section 46 of the Income Tax Ordinance. */
export interface ApprovedBusiness {
  readonly donation_approval?: { readonly valid_until: string | null } | undefined;
}

/** What the decision depends on of a business. */
export interface DonatedBusiness extends ApprovedBusiness {
  readonly legal_type: BusinessLegalType | null;
  readonly tax_id: string | null;
  readonly tax_authority_connected: boolean;
}

/** Whether a document is reported to the tax authority as a donation; if not, why. */
export type DonationDecision =
  | { readonly required: true }
  | { readonly required: false; readonly reason: string };

/** Whether an institution has an approval under section 46 on a day, whatever its legal type. */
export function isApprovedOn({ donation_approval: approval }: ApprovedBusiness, day: string): boolean {
  return approval !== undefined && (approval.valid_until === null || day <= approval.valid_until);
}

/**
 * Who reports: an institution that is approved on the date of the receipt and connected to the authority, from the first shekel. A
 * document of a test book may provoke its outcome instead.
 */
export function decideDonation(document: DonatedDocument, business: DonatedBusiness): DonationDecision {
  const notRequired = (reason: string) => ({ required: false, reason }) as const;
  if (document.type !== 'donation_receipt') {
    return notRequired('The document is no donation receipt.');
  }
  if (document.date < donationsReportedFrom) {
    return notRequired(`Donations are reported from ${donationsReportedFrom} on.`);
  }
  const provoked = provokedOutcomes(document.business_id, document).donation;
  if (provoked !== undefined) {
    return provoked === 'not_required'
      ? notRequired('An item of the test document provokes this outcome.')
      : { required: true };
  }
  if (!institutions.includes(business.legal_type)) {
    return notRequired('The business is neither an NPO nor a public institution.');
  }
  if (!isApprovedOn(business, document.date)) {
    return notRequired('The institution has no approval under section 46 on the date of the receipt.');
  }
  if (business.tax_id === null) {
    return notRequired('The business has no tax id in its profile.');
  }
  if (!business.tax_authority_connected) {
    return notRequired('The business is not connected to the tax authority.');
  }
  return document.totals.total === 0 ? notRequired('The receipt is about no amount.') : { required: true };
}

/**
 * Whether a receipt gives its donor no credit for the one reason that nobody reports it from here: its institution is approved, and the
 * report is not made.
 */
export function lacksDonationReport(document: DonatedDocument, business: DonatedBusiness): boolean {
  return (
    document.type === 'donation_receipt' &&
    document.date >= donationsReportedFrom &&
    isApprovedOn(business, document.date) &&
    !decideDonation(document, business).required
  );
}

/**
 * Whether a document gets a number of the tax authority after its commit: an allocation number, or that of a donation report. No type
 * gets both.
 */
export function requiresNumber(
  document: AllocatedDocument & DonatedDocument,
  business: AllocatingBusiness & DonatedBusiness,
): boolean {
  return decideAllocation(document, business).required || decideDonation(document, business).required;
}
