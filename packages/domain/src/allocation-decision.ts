import { allocationPolicyOn } from './allocation-policy.js';
import { type CustomerLegalType, type DocumentType, documentTypeRules } from './document-types.js';
import { law, lawOn } from './law.js';
import { type Agorot, fromShekels } from './money/agorot.js';

/** The facts of a document on which the decision depends. */
export interface AllocatedDocument {
  readonly type: DocumentType;
  /** YYYY-MM-DD */
  readonly date: string;
  /** ILS */
  readonly totals: { readonly subtotal: number; readonly discount: number; readonly vat: number };
  readonly customer: {
    readonly tax_id: string | null;
    /** Of the buyer; null: it is not known, and a buyer with a tax id is taken for a dealer. */
    readonly legal_type: CustomerLegalType | null;
  };
}

/** The facts of a business on which the decision depends. */
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

/** The decisions of the operator about the numbers that are asked for. */
export interface AllocationOptions {
  /** Whether a number is asked for of a credit note, which the authority's table of July 2024 gives none; by default it is. */
  readonly creditNotes?: 'ask' | 'skip';
}

/** Whether a document's type gets a number on its date at all. */
export const mayGetNumber = ({ type, date }: Pick<AllocatedDocument, 'type' | 'date'>): boolean =>
  allocationPolicyOn(date)?.codes[type] !== undefined;

/** Whether a number is asked for of a buyer of this kind on a day; of one whose kind is not known it is. */
export const isAskedFor = ({
  date,
  customer: { legal_type },
}: {
  readonly date: string;
  readonly customer: Pick<AllocatedDocument['customer'], 'legal_type'>;
}): boolean => legal_type === null || allocationPolicyOn(date)?.buyers[legal_type] !== 'not asked';

const netOf = ({ totals }: Pick<AllocatedDocument, 'totals'>): Agorot =>
  fromShekels(totals.subtotal) - fromShekels(totals.discount);

/**
 * Rule 4.5 of the HTTP API: a number is required when the type gets one on the document's date, the net amount is strictly
 * above the threshold, there is VAT, the buyer deducts it, and the business is connected. Only then a missing tax id is reported,
 * the business's first.
 */
export function decideAllocation(
  document: AllocatedDocument,
  business: AllocatingBusiness,
  { creditNotes = 'ask' }: AllocationOptions = {},
): AllocationDecision {
  const notRequired = (reason: string) => ({ required: false, status: 'not_required', reason }) as const;
  const { totals, type } = document;
  if (!mayGetNumber(document)) {
    return notRequired(
      `A document of type ${documentTypeRules[type].name.toLowerCase()} needs no allocation number.`,
    );
  }
  const threshold = business.allocation_threshold_net;
  if (netOf(document) <= fromShekels(threshold)) {
    return notRequired(`The net amount is not above the threshold of ${threshold} ILS.`);
  }
  if (totals.vat === 0) {
    return notRequired('The document has no VAT.');
  }
  if (type === 'credit_note' && creditNotes === 'skip') {
    return notRequired('The tax authority gives credit notes no number.');
  }
  if (!isAskedFor(document)) {
    return notRequired('The customer deducts no VAT.');
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

/**
 * Whether an invoice is so large that the law wants the buyer's number on it, and it has none: it costs the buyer the VAT, and the
 * detailed VAT report has no place for it. A private person has none to give.
 */
export function lacksBuyerId({ type, date, customer, totals }: AllocatedDocument): boolean {
  const above = lawOn(law.buyerId, date);
  return (
    (type === 'tax_invoice' || type === 'tax_invoice_receipt') &&
    customer.tax_id === null &&
    customer.legal_type !== 'private' &&
    above !== undefined &&
    netOf({ totals }) > fromShekels(above)
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
