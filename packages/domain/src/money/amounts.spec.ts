import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type TotalledDocument, totalRows } from '../total-rows.js';
import {
  AMOUNT_MAX_AGOROT,
  formatShekels,
  fromShekels,
  fromShekelsRounded,
  sum,
  toShekels,
  withinOneAgora,
} from './agorot.js';
import { decimalPlaces, parseDecimal, toUnits, toUnitsRounded } from './decimal.js';
import { parsePercentage, portionOf, portionWithin, withoutPortion } from './percentage.js';
import { divideRounded } from './rounding.js';

const document = (change: Partial<TotalledDocument> = {}): TotalledDocument => ({
  type: 'tax_invoice',
  items: [{ line_total: 1770 }, { line_total: 1416 }],
  prices_include_vat: false,
  totals: { subtotal: 2700, discount: 150, vat: 459 },
  ...change,
});

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

describe('percentages', () => {
  it('a percentage preserves every decimal', () => {
    expect(parsePercentage(18)).toEqual({ part: 18n, whole: 100n });
    expect(parsePercentage(16.5)).toEqual({ part: 165n, whole: 1000n });
    expect(parsePercentage(33.333333)).toEqual({ part: 33_333_333n, whole: 100_000_000n });
    expect(parsePercentage(1e-7)).toEqual({ part: 1n, whole: 1_000_000_000n });
  });

  it('a percentage on a net amount equals the percentage within the gross amount', () => {
    const rate = parsePercentage(16.5);
    expect(portionOf(100_000n, rate)).toBe(16_500n);
    expect(portionWithin(116_500n, rate)).toBe(16_500n);
    expect(withoutPortion(116_500n, rate)).toBe(100_000n);
  });

  it('a percentage of zero adds nothing and deducts nothing', () => {
    const none = parsePercentage(0);
    expect(portionOf(999n, none)).toBe(0n);
    expect(portionWithin(999n, none)).toBe(0n);
    expect(withoutPortion(999n, none)).toBe(999n);
  });
});

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

describe('totalRows', () => {
  it('totalRows leads from the lines over the discount and the net to the VAT', () => {
    expect(totalRows(document(), 'osek_murshe')).toEqual([
      { kind: 'lines', amount: 270_000n },
      { kind: 'discount', amount: -15_000n },
      { kind: 'net', amount: 255_000n },
      { kind: 'vat', amount: 45_900n },
    ]);
  });

  it('totalRows begins with the sum of the lines where prices are gross', () => {
    const gross = document({ prices_include_vat: true });
    expect(totalRows(gross, 'osek_murshe')[0]).toEqual({ kind: 'gross_lines', amount: 318_600n });
  });

  it('totalRows shows a receipt and a business that is no dealer no net and no VAT', () => {
    const totals = { subtotal: 100, discount: 0, vat: 0 };
    expect(totalRows(document({ type: 'receipt' }), 'osek_murshe').map(({ kind }) => kind)).toEqual([
      'lines',
      'discount',
    ]);
    expect(totalRows(document({ totals }), 'osek_patur')).toEqual([]);
    // A dealer with a zero rate states the zero.
    expect(totalRows(document({ totals }), 'osek_murshe').at(-1)).toEqual({ kind: 'vat', amount: 0n });
  });
});
