export type { Agorot } from './agorot.js';
export {
  AMOUNT_MAX_AGOROT,
  formatShekels,
  fromShekels,
  fromShekelsRounded,
  sum,
  toShekels,
  withinOneAgora,
} from './agorot.js';
export { decimalPlaces } from './decimal.js';
export type { Discount, PricedDocument, PricedItem, Totals } from './totals.js';
export { computeTotals } from './totals.js';
export type { TotalsRefusal } from './totals-error.js';
export { TotalsError } from './totals-error.js';
