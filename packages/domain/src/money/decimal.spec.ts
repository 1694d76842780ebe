import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decimalPlaces, parseDecimal, toUnits, toUnitsRounded } from './decimal.js';

describe('parseDecimal', () => {
  it.each([
    [0, 0n, 0],
    [-0, 0n, 0],
    [12, 12n, 0],
    [1.005, 1005n, 3],
    [-0.5, -5n, 1],
    [0.1, 1n, 1],
    [1e-7, 1n, 7],
    [-1.25e-7, -125n, 9],
    [1e21, 10n ** 21n, 0],
    [1.5e21, 15n * 10n ** 20n, 0],
    [100_000_000.01, 10_000_000_001n, 2],
    [Number.MIN_VALUE, 5n, 324],
    [Number.MAX_VALUE, 17976931348623157n * 10n ** 292n, 0],
  ])('parseDecimal reads %d as the decimal that was written', (value, digits, places) => {
    expect(parseDecimal(value)).toEqual({ digits, places });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'parseDecimal rejects %d',
    (value) => {
      expect(() => parseDecimal(value)).toThrow(RangeError);
    },
  );

  it('parseDecimal preserves every finite number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const { digits, places } = parseDecimal(value);
        // `+ 0` makes a negative zero positive: the two are one decimal.
        expect(Number(`${digits}e-${places}`)).toBe(value + 0);
      }),
    );
  });

  it('parseDecimal preserves every decimal of up to 15 digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), fc.nat(15), (digits, places) => {
        const units = toUnits(Number(`${digits}e-${places}`), places);
        expect(units).toBe(BigInt(digits));
      }),
    );
  });
});

describe('decimalPlaces', () => {
  it.each([
    [1.005, 3],
    [1.1, 1],
    [1.1 + 2.2, 16],
    [1e-7, 7],
    [1e21, 0],
    [1.0, 0],
  ])('decimalPlaces of %d is %d', (value, places) => {
    expect(decimalPlaces(value)).toBe(places);
  });
});

describe('toUnits and toUnitsRounded', () => {
  it('toUnits scales without rounding, or rejects the number', () => {
    expect(toUnits(1.5, 4)).toBe(15_000n);
    expect(toUnits(0.0001, 4)).toBe(1n);
    expect(() => toUnits(0.00001, 4)).toThrow('0.00001 has more than 4 decimals');
  });

  it('toUnitsRounded rounds the decimal that was written, not the double that represents it', () => {
    expect(toUnitsRounded(1.005, 2)).toBe(101n);
    expect(toUnitsRounded(-1.005, 2)).toBe(-101n);
    expect(toUnitsRounded(1.00499, 2)).toBe(100n);
    expect(toUnitsRounded(5e-324, 2)).toBe(0n);
  });
});
