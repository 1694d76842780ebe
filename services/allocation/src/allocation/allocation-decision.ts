import {
  type AllocationOutcome,
  allocationPolicyOn,
  type Business,
  documentTypeRules,
  type IssuedDocument,
} from '@pinkas/contracts';

/** Whether the authority is to be asked; if not, the outcome and why. */
export type AllocationDecision =
  | { readonly ask: true }
  | {
      readonly ask: false;
      readonly status: Extract<
        AllocationOutcome['status'],
        'not_required' | 'skipped_customer_tax_id_missing' | 'skipped_business_tax_id_missing'
      >;
      readonly reason: string;
    };

const agorot = (shekels: number): number => Math.round(shekels * 100);

/**
 * Interface rule 4.5: a number is asked for when the type is one that gets a number on the document's date, the net amount
 * lies strictly above the business's threshold, there is VAT to deduct, and the business is connected. A tax id that is
 * missing is reported only then, the business's first.
 */
export function decideAllocation(document: IssuedDocument, business: Business): AllocationDecision {
  const notRequired = (reason: string) => ({ ask: false, status: 'not_required', reason }) as const;
  const { totals, type } = document;
  if (allocationPolicyOn(document.date)?.codes[type] === undefined) {
    return notRequired(
      `A document of type ${documentTypeRules[type].name.toLowerCase()} needs no allocation number.`,
    );
  }
  const threshold = business.allocation_threshold_net;
  if (agorot(totals.subtotal) - agorot(totals.discount) <= agorot(threshold)) {
    return notRequired(`The net amount is not above the threshold of ${threshold} ILS.`);
  }
  if (totals.vat === 0) return notRequired('The document bears no VAT.');
  if (!business.tax_authority_connected) {
    return notRequired('The business is not connected to the tax authority.');
  }
  if (business.tax_id === null) {
    return {
      ask: false,
      status: 'skipped_business_tax_id_missing',
      reason: 'The business has no tax id in its profile.',
    };
  }
  if (document.customer.tax_id === null) {
    return { ask: false, status: 'skipped_customer_tax_id_missing', reason: 'The customer has no tax id.' };
  }
  return { ask: true };
}
