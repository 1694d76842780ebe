import type { Agorot } from './agorot.js';
import { AMOUNT_MAX_AGOROT, formatShekels, fromShekels, fromShekelsRounded, sum } from './agorot.js';
import { toUnits } from './decimal.js';
import type { Percentage } from './percentage.js';
import { parsePercentage, portionOf, portionWithin, withoutPortion } from './percentage.js';
import { divideRounded } from './rounding.js';
import { TotalsError } from './totals-error.js';

/** One line of a document, its numbers as the request has them. */
export interface PricedItem {
  /** Above 0, at most 4 decimals. */
  readonly quantity: number;
  /** ILS per unit, not negative, at most 2 decimals; net or gross as the document states. */
  readonly unitPrice: number;
}

/** A discount on the complete document, in the same price basis as its lines. */
export interface Discount {
  readonly type: 'percent' | 'amount';
  /** Percent, or ILS; above 0. An amount with more than two decimals is rounded to agorot. */
  readonly value: number;
}

/** All that the totals of a document follow from. */
export interface PricedDocument {
  /** Percent, such as 18 or 16.5; 0 for a business that charges none. */
  readonly vatRate: number;
  /** Whether unit prices and discount are gross (contain VAT) or net. */
  readonly pricesIncludeVat: boolean;
  readonly items: readonly PricedItem[];
  readonly discount: Discount | null;
}

/** The amounts of a document. Always: `subtotal` − `discount` + `vat` = `total`, none negative or above the limit. */
export interface Totals {
  /** One for each item, in order, in the price basis of the request. */
  readonly lineTotals: readonly Agorot[];
  /** Net, before the discount. */
  readonly subtotal: Agorot;
  /** Net. */
  readonly discount: Agorot;
  readonly vat: Agorot;
  /** The amount that the customer pays. */
  readonly total: Agorot;
}

type DocumentAmounts = Omit<Totals, 'lineTotals'>;

const QUANTITY_PLACES = 4;
const QUANTITY_UNIT = 10n ** BigInt(QUANTITY_PLACES);

/**
 * The totals of a document, exact to the agora. Each line is rounded once, the discount once, the VAT once for the
 * whole document, so neither the order of the lines nor their number adds an error of its own.
 *
 * Expects items and discount that the request's schema has accepted; it does not repeat the checks of range.
 *
 * @throws TotalsError when the discount exceeds the lines or an amount is too large for a document.
 * @throws RangeError when a quantity has more than four decimals or a price more than two.
 */
export function computeTotals({ vatRate, pricesIncludeVat, items, discount }: PricedDocument): Totals {
  const lineTotals = items.map(lineTotal);
  const listed = sum(lineTotals);
  const deducted = discount === null ? 0n : discountFrom(listed, discount);
  const rate = parsePercentage(vatRate);
  const amounts = pricesIncludeVat
    ? amountsOfGross(listed, deducted, rate)
    : amountsOfNet(listed, deducted, rate);
  refuseAboveLimit(amounts, lineTotals);
  return { lineTotals, ...amounts };
}

function lineTotal({ quantity, unitPrice }: PricedItem): Agorot {
  return divideRounded(toUnits(quantity, QUANTITY_PLACES) * fromShekels(unitPrice), QUANTITY_UNIT);
}

function discountFrom(listed: Agorot, { type, value }: Discount): Agorot {
  // Asked apart from the amount, for 150 % of a document worth nothing is not above its sum.
  if (type === 'percent' && value > 100) {
    throw new TotalsError('percent_above_100', '/discount/value', 'A percent discount may not exceed 100.');
  }
  const deducted = type === 'percent' ? portionOf(listed, parsePercentage(value)) : fromShekelsRounded(value);
  if (deducted > listed) {
    const amounts = `${formatShekels(deducted)} exceeds the sum of the items, ${formatShekels(listed)}`;
    throw new TotalsError('discount_above_sum', '/discount/value', `The discount of ${amounts}.`);
  }
  return deducted;
}

/** Net prices: the subtotal is what is listed, and VAT comes on top of what remains. */
function amountsOfNet(listed: Agorot, deducted: Agorot, rate: Percentage): DocumentAmounts {
  const net = listed - deducted;
  const vat = portionOf(net, rate);
  return { subtotal: listed, discount: deducted, vat, total: net + vat };
}

/** Gross prices: the total is what is listed, less the discount, and the net amounts are taken out of it. */
function amountsOfGross(listed: Agorot, deducted: Agorot, rate: Percentage): DocumentAmounts {
  const total = listed - deducted;
  const vat = portionWithin(total, rate);
  const discount = withoutPortion(deducted, rate);
  // Derived from the others and not rounded separately, so that the amounts of a document always add up.
  return { subtotal: total - vat + discount, discount, vat, total };
}

function refuseAboveLimit(amounts: DocumentAmounts, lineTotals: readonly Agorot[]): void {
  const named: [string, string, Agorot][] = [
    ['/items', 'total', amounts.total],
    ['/items', 'subtotal', amounts.subtotal],
    // A gross line can exceed the limit in a document that a discount brings back below it.
    ...lineTotals.map((amount, index): [string, string, Agorot] => [`/items/${index}`, 'line total', amount]),
  ];
  for (const [path, name, amount] of named) {
    if (amount <= AMOUNT_MAX_AGOROT) {
      continue;
    }
    const message = `The ${name} ${formatShekels(amount)} exceeds ${formatShekels(AMOUNT_MAX_AGOROT)}.`;
    throw new TotalsError('amount_above_limit', path, message);
  }
}
