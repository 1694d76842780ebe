import { toUnits, toUnitsRounded } from './decimal.js';

/** An amount of money in whole agorot, 100 to the shekel: 1180.00 ILS is `118000n`. */
export type Agorot = bigint;

/**
 * The largest amount that a document may show: 999,999,999,999.99 ILS.
 *
 * The Israel Tax Authority writes amounts with 12 whole digits and 2 decimals, in allocation requests as in the
 * uniform structure (1.31). Amounts up to here have at most 14 significant digits, so a JSON number holds them exactly.
 */
export const AMOUNT_MAX_AGOROT: Agorot = 99_999_999_999_999n;

/** Decimals of an amount in shekels. */
const SHEKEL_PLACES = 2;

/**
 * A JSON number of shekels as agorot, exactly.
 *
 * @throws RangeError when `shekels` is not finite or has more than two decimals.
 */
export function fromShekels(shekels: number): Agorot {
  return toUnits(shekels, SHEKEL_PLACES);
}

/**
 * A JSON number of shekels as agorot, rounded half away from zero where it has more than two decimals.
 *
 * @throws RangeError when `shekels` is not finite.
 */
export function fromShekelsRounded(shekels: number): Agorot {
  return toUnitsRounded(shekels, SHEKEL_PLACES);
}

/**
 * Agorot as the JSON number of shekels that reads back as the same amount.
 *
 * @throws RangeError when no double does; never up to {@link AMOUNT_MAX_AGOROT}.
 */
export function toShekels(agorot: Agorot): number {
  const shekels = Number(agorot) / 100;
  if (fromShekelsRounded(shekels) !== agorot) {
    throw new RangeError(`${formatShekels(agorot)} cannot be written exactly as a JSON number`);
  }
  return shekels;
}

/** Agorot as shekels for a reader, without a currency sign: `123450n` is `1,234.50`, `-5n` is `-0.05`. */
export function formatShekels(agorot: Agorot): string {
  const sign = agorot < 0n ? '-' : '';
  const digits = String(agorot < 0n ? -agorot : agorot).padStart(3, '0');
  const whole = digits.slice(0, -2).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${sign}${whole}.${digits.slice(-2)}`;
}

/** The sum of the amounts; zero of none. */
export function sum(amounts: readonly Agorot[]): Agorot {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** Whether two amounts differ by at most one agora: the interface's tolerance of 0.01. */
export function withinOneAgora(a: Agorot, b: Agorot): boolean {
  const difference = a - b;
  return -1n <= difference && difference <= 1n;
}
