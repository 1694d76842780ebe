import { type Agorot, fromShekels, sum } from './agorot.js';
import { parsePercentage, withoutPortion } from './percentage.js';
import { divideRounded } from './rounding.js';

/** The lines of a document, ILS, gross or net as it states. */
export interface PricedLines {
  readonly items: readonly { readonly unit_price: number; readonly line_total: number }[];
  readonly prices_include_vat: boolean;
  readonly totals: { readonly subtotal: number; readonly vat_rate: number };
}

/**
 * The totals of the lines without VAT. Together they are the subtotal, to the agora: each line ends where its share of the sum
 * ends, rounded, so that no line is more than an agora from its own share.
 */
export function netLineTotals({ items, prices_include_vat, totals }: PricedLines): Agorot[] {
  const listed = items.map(({ line_total }) => fromShekels(line_total));
  const gross = sum(listed);
  if (!prices_include_vat || gross === 0n) {
    return listed;
  }
  const subtotal = fromShekels(totals.subtotal);
  let reached = 0n;
  let written = 0n;
  return listed.map((amount) => {
    reached += amount;
    const end = divideRounded(reached * subtotal, gross);
    const net = end - written;
    written = end;
    return net;
  });
}

/** The price of a unit without VAT, rounded to agorot. */
export function netUnitPrice(unitPrice: number, { prices_include_vat, totals }: PricedLines): Agorot {
  const price = fromShekels(unitPrice);
  return prices_include_vat ? withoutPortion(price, parsePercentage(totals.vat_rate)) : price;
}
