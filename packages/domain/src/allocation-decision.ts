import { allocationPolicyOn } from './allocation-policy.js';
import { type DocumentType, documentTypeRules } from './document-types.js';
import { type Agorot, fromShekels } from './money/agorot.js';

/** What the decision depends on of a document. */
export interface AllocatedDocument {
  readonly type: DocumentType;
  /** YYYY-MM-DD */
  readonly date: string;
  /** ILS */
  readonly totals: { readonly subtotal: number; readonly discount: number; readonly vat: number };
  readonly customer: { readonly tax_id: string | null };
}

/** What the decision depends on of a business. */
export interface AllocatingBusiness {
  readonly tax_id: string | null;
  /** ILS, net of VAT. */
  readonly allocation_threshold_net: number;
  readonly tax_authority_connected: boolean;
}

/** Whether a number is required; if not, the outcome and its reason. */
export type AllocationDecision =
  | { readonly required: true }
  | {
      readonly required: false;
      readonly status: 'not_required' | 'skipped_customer_tax_id_missing' | 'skipped_business_tax_id_missing';
      readonly reason: string;
    };

/** Whether a document's type gets a number on its date at all. */
export const mayGetNumber = ({ type, date }: Pick<AllocatedDocument, 'type' | 'date'>): boolean =>
  allocationPolicyOn(date)?.codes[type] !== undefined;

/**
 * Rule 4.5 of the HTTP API: a number is required when the type gets one on the document's date, the net amount is strictly
 * above the threshold, there is VAT, and the business is connected. Only then a missing tax id is reported, the business's
 * first.
 */
export function decideAllocation(
  document: AllocatedDocument,
  business: AllocatingBusiness,
): AllocationDecision {
  const notRequired = (reason: string) => ({ required: false, status: 'not_required', reason }) as const;
  const { totals, type } = document;
  if (!mayGetNumber(document)) {
    return notRequired(
      `A document of type ${documentTypeRules[type].name.toLowerCase()} needs no allocation number.`,
    );
  }
  const threshold = business.allocation_threshold_net;
  if (fromShekels(totals.subtotal) - fromShekels(totals.discount) <= fromShekels(threshold)) {
    return notRequired(`The net amount is not above the threshold of ${threshold} ILS.`);
  }
  if (totals.vat === 0) {
    return notRequired('The document has no VAT.');
  }
  if (!business.tax_authority_connected) {
    return notRequired('The business is not connected to the tax authority.');
  }
  if (business.tax_id === null) {
    return {
      required: false,
      status: 'skipped_business_tax_id_missing',
      reason: 'The business has no tax id in its profile.',
    };
  }
  if (document.customer.tax_id === null) {
    return {
      required: false,
      status: 'skipped_customer_tax_id_missing',
      reason: 'The customer has no tax id.',
    };
  }
  return { required: true };
}

/**
 * Whether a document has no allocation number for one reason alone: its business is not connected. Its buyer, who has a tax id,
 * cannot deduct the VAT (VAT law, section 47(a2)). Of a credit note there is nothing to deduct.
 */
export function lacksNumberUnconnected(document: AllocatedDocument, business: AllocatingBusiness): boolean {
  return (
    document.type !== 'credit_note' &&
    !decideAllocation(document, business).required &&
    decideAllocation(document, { ...business, tax_authority_connected: true }).required
  );
}

/** The VAT that the buyer cannot deduct for that reason, without what credit notes have taken back. */
export function undeductibleVat(
  document: AllocatedDocument,
  business: AllocatingBusiness,
  creditedVat: number,
): Agorot {
  const left = fromShekels(document.totals.vat) - fromShekels(creditedVat);
  return left > 0n && lacksNumberUnconnected(document, business) ? left : 0n;
}
