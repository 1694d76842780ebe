import type { BusinessLegalType, DocumentType } from './document-types.js';
import { type Agorot, fromShekels, sum } from './money/agorot.js';

/** What a figure between the lines and the total of a document is. */
export type TotalRowKind = 'gross_lines' | 'lines' | 'discount' | 'net' | 'vat';

/** One figure between the lines and the total. */
interface TotalRow {
  readonly kind: TotalRowKind;
  /** Of a discount below zero. */
  readonly amount: Agorot;
}

/** The facts of a document that its totals are shown by, ILS. */
export interface TotalledDocument {
  readonly type: DocumentType;
  readonly items: readonly { readonly line_total: number }[];
  readonly prices_include_vat: boolean;
  readonly totals: { readonly subtotal: number; readonly discount: number; readonly vat: number };
}

/** The types that acknowledge a payment and are no tax invoice: net and VAT on them invite to deduct the VAT twice. */
const withoutVatAmount: readonly DocumentType[] = ['receipt', 'donation_receipt'];

/** Whether a document only acknowledges a payment: it is about what was paid, and shows neither net nor VAT. */
export function acknowledgesPayment(type: DocumentType): boolean {
  return withoutVatAmount.includes(type);
}

/**
 * Whether prices say that they include VAT, or not. An exempt dealer, a non-profit and a public institution without a VAT amount
 * must not issue what looks like a tax document (VAT law, section 50); a dealer with a zero rate states the zero. A donation is no
 * transaction: its receipt never mentions VAT.
 */
export function showsVatBasis(
  { type, totals: { vat } }: Pick<TotalledDocument, 'type' | 'totals'>,
  legalType: BusinessLegalType | null,
): boolean {
  return (
    type !== 'donation_receipt' && (vat !== 0 || legalType === 'osek_murshe' || legalType === 'hevra_baam')
  );
}

/** Whether a document shows the net and the VAT. */
export function showsVatAmount(document: TotalledDocument, legalType: BusinessLegalType | null): boolean {
  return showsVatBasis(document, legalType) && !acknowledgesPayment(document.type);
}

/**
 * The figures from the sum of the lines to the total: sum, discount, what VAT is computed on, VAT. Every figure was fixed when the
 * document was issued, or is a sum or difference of such figures. Of gross prices the sum of the lines comes first, since discount
 * and subtotal are net.
 */
export function totalRows(document: TotalledDocument, legalType: BusinessLegalType | null): TotalRow[] {
  const { totals, items } = document;
  const subtotal = fromShekels(totals.subtotal);
  const discount = fromShekels(totals.discount);
  const vatShown = showsVatAmount(document, legalType);
  const rows: TotalRow[] = [];
  if (vatShown && document.prices_include_vat) {
    rows.push({ kind: 'gross_lines', amount: sum(items.map((item) => fromShekels(item.line_total))) });
  }
  if (discount !== 0n) {
    rows.push({ kind: 'lines', amount: subtotal }, { kind: 'discount', amount: -discount });
  }
  if (vatShown) {
    rows.push({ kind: 'net', amount: subtotal - discount }, { kind: 'vat', amount: fromShekels(totals.vat) });
  }
  return rows;
}
