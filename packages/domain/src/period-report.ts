import { type BusinessLegalType, type DocumentType, mayIssue } from './document-types.js';
import { type Agorot, sum } from './money/agorot.js';
import { divideRounded } from './money/rounding.js';

/** The sums of the documents of a type and a VAT rate. */
export interface TypeSum {
  readonly type: DocumentType;
  /** Percent. */
  readonly vatRate: number;
  /** Without the cancelled ones. */
  readonly documents: number;
  readonly net: Agorot;
  readonly vat: Agorot;
  readonly total: Agorot;
}

/** Amounts before and after VAT. */
export interface VatAmounts {
  readonly net: Agorot;
  readonly vat: Agorot;
  readonly total: Agorot;
}

/** The amounts of a period at one VAT rate. */
interface RateSum extends VatAmounts {
  readonly vatRate: number;
}

/** The VAT and the income of a period. */
interface PeriodReport {
  /** Invoices less credit notes, by rate, the highest first. */
  readonly rates: readonly RateSum[];
  /** All rates. */
  readonly sales: VatAmounts;
  /** Net sales at a rate above zero, with their VAT; what the periodic VAT report asks for first. */
  readonly taxable: VatAmounts;
  /** Sales without VAT. */
  readonly untaxed: Agorot;
  /** Sales and VAT in complete shekels, half up (VAT law, section 139: reports are in complete shekels). */
  readonly reported: { readonly taxable: bigint; readonly vat: bigint; readonly untaxed: bigint };
  /** The sum that receipts of any kind have received. */
  readonly received: Agorot;
  /** `invoices`: net sales; `receipts`: what was received, for a business that issues no tax invoices. */
  readonly income: { readonly basis: 'invoices' | 'receipts'; readonly amount: Agorot };
}

/** The types whose documents are sales for VAT; a credit note is subtracted. */
export const saleTypes = [
  'tax_invoice',
  'tax_invoice_receipt',
  'credit_note',
] as const satisfies readonly DocumentType[];
type SaleType = (typeof saleTypes)[number];

/** The types that acknowledge what was received. */
export const receivingTypes = [
  'tax_invoice_receipt',
  'receipt',
  'donation_receipt',
] as const satisfies readonly DocumentType[];

/** Whether documents of a type are sales for VAT. */
export function isSaleType(type: DocumentType): type is SaleType {
  return (saleTypes as readonly DocumentType[]).includes(type);
}

/** An amount in complete shekels, a half away from zero, so that a credit mirrors its invoice. */
export function wholeShekels(amount: Agorot): bigint {
  return divideRounded(amount, 100n);
}

/**
 * The VAT and the income of a period, by document date.
 * @param legalType of the business; null: it is not known yet.
 * @param types what its documents amount to, of any types.
 * @param received what its receipts of any kind have received.
 */
export function periodReport(
  legalType: BusinessLegalType | null,
  types: readonly TypeSum[],
  received: readonly Agorot[],
): PeriodReport {
  const sales = types.filter(({ type }) => isSaleType(type));
  const rates = [...new Set(sales.map(({ vatRate }) => vatRate))]
    .sort((one, other) => other - one)
    .map((vatRate) => ({ vatRate, ...lessCredits(sales.filter((row) => row.vatRate === vatRate)) }));
  const taxable = added(rates.filter(({ vatRate }) => vatRate > 0));
  const untaxed = added(rates.filter(({ vatRate }) => vatRate === 0)).net;
  const all = added(rates);
  const issuesInvoices = legalType === null || mayIssue(legalType, 'tax_invoice');
  return {
    rates,
    sales: all,
    taxable,
    untaxed,
    reported: {
      taxable: wholeShekels(taxable.net),
      vat: wholeShekels(taxable.vat),
      untaxed: wholeShekels(untaxed),
    },
    received: sum(received),
    income: issuesInvoices
      ? { basis: 'invoices', amount: all.net }
      : { basis: 'receipts', amount: sum(received) },
  };
}

function lessCredits(rows: readonly TypeSum[]): VatAmounts {
  const signed = (amountOf: (row: TypeSum) => Agorot) =>
    sum(rows.map((row) => (row.type === 'credit_note' ? -amountOf(row) : amountOf(row))));
  return {
    net: signed(({ net }) => net),
    vat: signed(({ vat }) => vat),
    total: signed(({ total }) => total),
  };
}

function added(rows: readonly VatAmounts[]): VatAmounts {
  return {
    net: sum(rows.map(({ net }) => net)),
    vat: sum(rows.map(({ vat }) => vat)),
    total: sum(rows.map(({ total }) => total)),
  };
}
