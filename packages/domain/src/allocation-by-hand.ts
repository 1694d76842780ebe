import { type AllocatedDocument, isAskedFor } from './allocation-decision.js';
import { allocationPolicyOn } from './allocation-policy.js';
import type { DocumentType } from './document-types.js';
import { addDays } from './israel-calendar.js';
import { law, lawOn } from './law.js';

/** Why a document can have no allocation number at all. */
export const noNumberReasons = ['type', 'age', 'no_vat', 'no_tax_id'] as const;
export type NoNumberReason = (typeof noNumberReasons)[number];

/** The types of which the authority's table has 'yes' (technical specification v2, table 2.5): 305 and 320. */
const numberedTypes: readonly DocumentType[] = ['tax_invoice', 'tax_invoice_receipt'];

/**
 * Why a person can neither ask for a number of a document nor type one in; null: he can, whatever the amount and the buyer (technical
 * specification v2, table 2.5: for an invoice of any amount a number may be asked for).
 * @param today YYYY-MM-DD.
 */
export function whyNoNumber(
  document: {
    readonly type: DocumentType;
    readonly date: string;
    readonly totals: { readonly vat: number };
  },
  business: { readonly tax_id: string | null },
  today: string,
): NoNumberReason | null {
  if (!numberedTypes.includes(document.type) || allocationPolicyOn(document.date) === undefined) {
    return 'type';
  }
  if (document.date < monthsBefore(today, lawOn(law.allocationLatest, today) ?? 0)) {
    return 'age';
  }
  if (document.totals.vat === 0) {
    return 'no_vat';
  }
  return business.tax_id === null ? 'no_tax_id' : null;
}

/** The same day some months before; the last of its month where there is none. */
function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const first = new Date(Date.UTC(year, month - 1 - months, 1)).toISOString().slice(0, 10);
  const nextFirst = new Date(Date.UTC(year, month - months, 1)).toISOString().slice(0, 10);
  const last = addDays(nextFirst, -1);
  const same = addDays(first, date - 1);
  return same < last ? same : last;
}

/** The authority's customer number of a buyer who deducts no VAT. */
const customerWithoutDeduction = '999999998';

/**
 * The customer number that is sent to the authority: the buyer's own, where one who may deduct VAT has one.
 * @param date of the document, YYYY-MM-DD.
 */
export function customerNumberOf(customer: AllocatedDocument['customer'], date: string): string {
  const { tax_id: taxId } = customer;
  return taxId !== null && isAskedFor({ date, customer }) ? taxId : customerWithoutDeduction;
}
