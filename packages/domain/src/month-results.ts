import { type BusinessLegalType, type DocumentType, mayIssue } from './document-types.js';
import type { Agorot } from './money/agorot.js';

/** The sums of the documents of a type in a month. */
export interface MonthSum {
  /** YYYY-MM. */
  readonly month: string;
  readonly type: DocumentType;
  readonly net: Agorot;
  readonly vat: Agorot;
  readonly total: Agorot;
}

/** How a month went. */
export interface MonthResult {
  /** Net sales; of a business that issues no tax invoices, what its receipts acknowledge. */
  readonly income: Agorot;
  /** VAT of invoices less that of credit notes. */
  readonly vat: Agorot;
  /** The sum that receipts of any kind have received. */
  readonly received: Agorot;
}

const receipts: readonly DocumentType[] = ['receipt', 'tax_invoice_receipt', 'donation_receipt'];
const signs: Partial<Record<DocumentType, bigint>> = {
  tax_invoice: 1n,
  tax_invoice_receipt: 1n,
  credit_note: -1n,
};

/**
 * How each month went, by document date; a month without a document is not there.
 * @param legalType of the business; null: it is not known yet.
 */
export function monthResults(
  legalType: BusinessLegalType | null,
  sums: readonly MonthSum[],
): ReadonlyMap<string, MonthResult> {
  const issuesInvoices = legalType === null || mayIssue(legalType, 'tax_invoice');
  const results = new Map<string, MonthResult>();
  for (const { month, type, net, vat, total } of sums) {
    const before = results.get(month) ?? { income: 0n, vat: 0n, received: 0n };
    const sign = signs[type] ?? 0n;
    const received = receipts.includes(type) ? total : 0n;
    results.set(month, {
      income: before.income + (issuesInvoices ? sign * net : received),
      vat: before.vat + sign * vat,
      received: before.received + received,
    });
  }
  return results;
}
