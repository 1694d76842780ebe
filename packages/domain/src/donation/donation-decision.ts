import type { BusinessLegalType, DocumentType } from '../document-types.js';
import { law, lawOn } from '../law.js';

const institutions: readonly (BusinessLegalType | null)[] = ['amuta', 'public_institution'];

/** The facts of a document on which the decision depends. */
export interface DonatedDocument {
  readonly type: DocumentType;
  /** YYYY-MM-DD */
  readonly date: string;
  /** ILS */
  readonly totals: { readonly total: number };
}

/** The approval of an institution under section 46 of the Income Tax Ordinance. */
interface ApprovedBusiness {
  readonly donation_approval?: { readonly valid_until: string | null } | undefined;
}

/** The facts of a business on which the decision depends. */
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

/** Why no document of this type and date is reported; null: it may be. */
export function unreportedReason({ type, date }: Pick<DonatedDocument, 'type' | 'date'>): string | null {
  if (type !== 'donation_receipt') {
    return 'The document is no donation receipt.';
  }
  return lawOn(law.donationReport, date) === undefined
    ? `Donations are reported from ${law.donationReport.values[0]?.from} on.`
    : null;
}

/** Who reports: an institution that is approved on the date of the receipt and connected to the authority, from the first shekel. */
export function decideDonation(document: DonatedDocument, business: DonatedBusiness): DonationDecision {
  const reason = unreportedReason(document) ?? unreportingReason(document, business);
  return reason === null ? { required: true } : { required: false, reason };
}

function unreportingReason(document: DonatedDocument, business: DonatedBusiness): string | null {
  if (!institutions.includes(business.legal_type)) {
    return 'The business is neither an NPO nor a public institution.';
  }
  if (!isApprovedOn(business, document.date)) {
    return 'The institution has no approval under section 46 on the date of the receipt.';
  }
  if (business.tax_id === null) {
    return 'The business has no tax id in its profile.';
  }
  if (!business.tax_authority_connected) {
    return 'The business is not connected to the tax authority.';
  }
  return document.totals.total === 0 ? 'The receipt is about no amount.' : null;
}

/** Whether a business gives receipts on a day whose donations are reported. */
export function isReportingInstitution(
  business: Pick<DonatedBusiness, 'legal_type' | 'donation_approval'>,
  day: string,
): boolean {
  return institutions.includes(business.legal_type) && isApprovedOn(business, day);
}

/** Whether the donation receipts of a business mean something to the tax authority. */
export const isInstitution = (legalType: BusinessLegalType | null): boolean =>
  institutions.includes(legalType);

/** Whether a receipt gives its donor a credit only where it is reported. */
export function isCreditedByReport(document: DonatedDocument, business: ApprovedBusiness): boolean {
  return unreportedReason(document) === null && isApprovedOn(business, document.date);
}
