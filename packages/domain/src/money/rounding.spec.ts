import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { divideRounded } from './rounding.js';

describe('divideRounded', () => {
  it.each([
    [5n, 2n, 3n],
    [-5n, 2n, -3n],
    [1n, 2n, 1n],
    [-1n, 2n, -1n],
    [4n, 3n, 1n],
    [5n, 3n, 2n],
    [-4n, 3n, -1n],
    [499n, 1000n, 0n],
    [0n, 7n, 0n],
    [21n, 7n, 3n],
  ])('divideRounded of %s and %s is %s', (numerator, denominator, quotient) => {
    expect(divideRounded(numerator, denominator)).toBe(quotient);
  });

  it('divideRounded differs from the exact quotient by at most a half', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: 1n, max: 10n ** 30n }), (numerator, denominator) => {
        const error = numerator - divideRounded(numerator, denominator) * denominator;
        expect(2n * (error < 0n ? -error : error) <= denominator).toBe(true);
      }),
    );
  });

  it('divideRounded rounds an amount and its negative alike, so that a credit mirrors its invoice', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: 1n, max: 1000n }), (numerator, denominator) => {
        expect(divideRounded(-numerator, denominator)).toBe(-divideRounded(numerator, denominator));
      }),
    );
  });
});
