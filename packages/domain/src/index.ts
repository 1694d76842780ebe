export * from './allocation-by-hand.js';
export * from './allocation-decision.js';
export * from './allocation-policy.js';
export * from './business-days.js';
export * from './business-refusal.js';
export { cashToState } from './cash-rounding.js';
export * from './contrast.js';
export * from './debt-age.js';
export * from './document-types.js';
export * from './donation/donation-decision.js';
export * from './donation/donation-reports.js';
export * from './iban.js';
export * from './israel-calendar.js';
export * from './law.js';
export type { Agorot } from './money/agorot.js';
export {
  AMOUNT_MAX_AGOROT,
  formatShekels,
  fromShekels,
  fromShekelsRounded,
  sum,
  toShekels,
  withinOneAgora,
} from './money/agorot.js';
export { decimalPlaces, plainDecimal, roundDecimal } from './money/decimal.js';
export type { PricedLines } from './money/net-lines.js';
export { netLineTotals, netUnitPrice } from './money/net-lines.js';
export type { Percentage } from './money/percentage.js';
export { parsePercentage, portionOf, portionWithin, withoutPortion } from './money/percentage.js';
export type { Discount, PricedDocument, PricedItem, Totals } from './money/totals.js';
export { computeTotals } from './money/totals.js';
export type { TotalsRefusal } from './money/totals-error.js';
export { TotalsError } from './money/totals-error.js';
export * from './month-results.js';
export * from './payment-methods.js';
export * from './payment-terms.js';
export * from './period-report.js';
export * from './quiet-hours.js';
export * from './refused-number.js';
export * from './retry-schedule.js';
export * from './settlement.js';
export * from './software-version.js';
export * from './tax-id.js';
// Take the place of the decisions of the law, for the documents of both books.
export { decideAllocation, undeductibleVat } from './test-mode/provoked-allocation.js';
export {
  decideDonation,
  lacksDonationReport,
  lacksReportUnconnected,
  requiresNumber,
} from './test-mode/provoked-donation.js';
export * from './test-mode/provoked-outcomes.js';
export * from './test-mode/test-book.js';
export * from './text/index.js';
export * from './text-direction.js';
export * from './total-rows.js';
export * from './vat-detail.js';
