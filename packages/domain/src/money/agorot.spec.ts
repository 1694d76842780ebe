import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  AMOUNT_MAX_AGOROT,
  formatShekels,
  fromShekels,
  fromShekelsRounded,
  sum,
  toShekels,
  withinOneAgora,
} from './agorot.js';

describe('fromShekels', () => {
  it.each([
    [0, 0n],
    [0.01, 1n],
    [0.29, 29n],
    [1.1, 110n],
    [-1.5, -150n],
    [100_000_000, 10_000_000_000n],
    [999_999_999_999.99, AMOUNT_MAX_AGOROT],
    [1e21, 10n ** 23n],
  ])('fromShekels converts %d exactly', (shekels, agorot) => {
    expect(fromShekels(shekels)).toBe(agorot);
  });

  it.each([1.005, 0.1 + 0.2, 1e-7, Number.NaN, Number.POSITIVE_INFINITY])(
    'fromShekels rejects %d',
    (shekels) => {
      expect(() => fromShekels(shekels)).toThrow(RangeError);
    },
  );
});

describe('fromShekelsRounded', () => {
  it.each([
    [1.005, 101n],
    [1.004, 100n],
    [-1.005, -101n],
    [0.1 + 0.2, 30n],
    [1e-7, 0n],
  ])('fromShekelsRounded rounds %d to the nearest agora, a half away from zero', (shekels, agorot) => {
    expect(fromShekelsRounded(shekels)).toBe(agorot);
  });
});

describe('toShekels', () => {
  it('every amount that a document may show is converted to shekels and back without a change, with at most two decimals', () => {
    const amounts = fc.bigInt({ min: -AMOUNT_MAX_AGOROT, max: AMOUNT_MAX_AGOROT });
    fc.assert(
      fc.property(amounts, (agorot) => {
        const onTheWire = JSON.stringify(toShekels(agorot));
        expect(onTheWire).toMatch(/^-?\d+(\.\d{1,2})?$/);
        expect(fromShekels(JSON.parse(onTheWire))).toBe(agorot);
      }),
    );
    expect(JSON.stringify(toShekels(AMOUNT_MAX_AGOROT))).toBe('999999999999.99');
  });

  it('toShekels rejects an amount that a JSON number cannot represent', () => {
    expect(() => toShekels(2n ** 60n + 1n)).toThrow(RangeError);
    expect(() => toShekels(10n ** 400n)).toThrow(RangeError);
  });
});

describe('formatShekels', () => {
  it.each([
    [0n, '0.00'],
    [5n, '0.05'],
    [-5n, '-0.05'],
    [99_999n, '999.99'],
    [123_450n, '1,234.50'],
    [-123_456_789n, '-1,234,567.89'],
    [AMOUNT_MAX_AGOROT, '999,999,999,999.99'],
  ])('formatShekels formats %s agorot as %s', (agorot, text) => {
    expect(formatShekels(agorot)).toBe(text);
  });
});

describe('sum', () => {
  it('sum adds without losing an agora, and is zero for an empty list', () => {
    expect(sum([])).toBe(0n);
    expect(sum([10n ** 18n, 1n, -3n])).toBe(10n ** 18n - 2n);
  });
});

describe('withinOneAgora', () => {
  it.each([
    [100n, 100n, true],
    [100n, 101n, true],
    [101n, 100n, true],
    [100n, 102n, false],
    [102n, 100n, false],
  ])('withinOneAgora of %s and %s is %s', (a, b, within) => {
    expect(withinOneAgora(a, b)).toBe(within);
  });
});
