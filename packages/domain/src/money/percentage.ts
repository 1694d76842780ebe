import { parseDecimal } from './decimal.js';
import { divideRounded } from './rounding.js';

/** An exact percentage as a fraction: 16.5 % is `part` 165 of `whole` 1000. */
export interface Percentage {
  readonly part: bigint;
  readonly whole: bigint;
}

/**
 * Reads a percentage such as 18, 16.5 or 33.333, with any number of decimals.
 *
 * @param percent not negative.
 * @throws RangeError when `percent` is not finite.
 */
export function parsePercentage(percent: number): Percentage {
  const { digits, places } = parseDecimal(percent);
  return { part: digits, whole: 100n * 10n ** BigInt(places) };
}

/** The percentage of `amount`, rounded: what a net amount gains as VAT. */
export function portionOf(amount: bigint, { part, whole }: Percentage): bigint {
  return divideRounded(amount * part, whole);
}

/** The percentage that `amount` already contains, rounded: the VAT inside a gross amount. */
export function portionWithin(amount: bigint, { part, whole }: Percentage): bigint {
  return divideRounded(amount * part, whole + part);
}

/** `amount` without the percentage that it contains, rounded: a gross amount made net. */
export function withoutPortion(amount: bigint, { part, whole }: Percentage): bigint {
  return divideRounded(amount * whole, whole + part);
}
