import { divideRounded } from './rounding.js';

/** An exact decimal number: `digits` / 10 ** `places`. So 1.005 is `{ digits: 1005n, places: 3 }`. */
interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}

/** The shapes in which JavaScript writes a finite number: `-12`, `0.5`, `1.5e-7`, `1e+21`. */
const SHORTEST_FORM = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * Reads a JSON number as the decimal that its sender wrote.
 *
 * A double seldom equals that decimal (1.005 is stored as 1.00499999999999989…), but the shortest decimal that
 * leads back to the same double does, up to 15 significant digits; it is what `String` prints (ECMA-262,
 * Number::toString). All arithmetic of this package starts from here, so no binary fraction ever enters a sum.
 *
 * @throws RangeError for NaN and the infinities, which JSON cannot express either.
 */
export function parseDecimal(value: number): Decimal {
  const match = SHORTEST_FORM.exec(String(value));
  if (match === null) {
    throw new RangeError(`${value} is not a finite number`);
  }
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole + fraction);
  const places = fraction.length - Number(exponent);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

/**
 * The number of decimals in the shortest decimal form of `value`: 0 for 12, 3 for 1.005, 7 for 1e-7, 0 for 1e21.
 *
 * @throws RangeError when `value` is not finite.
 */
export function decimalPlaces(value: number): number {
  return parseDecimal(value).places;
}

/**
 * `value` as a whole number of units of 10 ** -`places`, rounded half away from zero: 1.005 to 2 places is 101n.
 *
 * @throws RangeError when `value` is not finite.
 */
export function toUnitsRounded(value: number, places: number): bigint {
  const decimal = parseDecimal(value);
  return divideRounded(decimal.digits * 10n ** BigInt(places), 10n ** BigInt(decimal.places));
}

/**
 * The number nearest to `value` with at most `places` decimals, a half away from zero: 1.005 to 2 places is 1.01.
 *
 * @throws RangeError when `value` is not finite.
 */
export function roundDecimal(value: number, places: number): number {
  return Number(toUnitsRounded(value, places)) / 10 ** places;
}

/**
 * `value` as a whole number of units of 10 ** -`places`, without rounding: 1.5 to 4 places is 15000n.
 *
 * @throws RangeError when `value` is not finite or has more than `places` decimals.
 */
export function toUnits(value: number, places: number): bigint {
  if (decimalPlaces(value) > places) {
    throw new RangeError(`${value} has more than ${places} decimals`);
  }
  return toUnitsRounded(value, places);
}

/**
 * A number as digits, with a point before its decimals and never an exponent, as a person types it: 1e-7 is `0.0000001`.
 *
 * @throws RangeError when `value` is not finite.
 */
export function plainDecimal(value: number): string {
  const { digits, places } = parseDecimal(value);
  const text = String(digits < 0n ? -digits : digits).padStart(places + 1, '0');
  const point = text.length - places;
  return `${digits < 0n ? '-' : ''}${text.slice(0, point)}${places === 0 ? '' : `.${text.slice(point)}`}`;
}
