import { describe, expect, it } from '@jest/globals';
import { AMOUNT_MAX_AGOROT } from './agorot.js';
import type { Discount, PricedDocument } from './totals.js';
import { computeTotals } from './totals.js';
import vectors from './totals.vectors.json' with { type: 'json' };
import { TotalsError } from './totals-error.js';

/** '1180.00' as 118000n, by way of its text, so that the expected side shares nothing with the code under test. */
const agorot = (text: string): bigint => BigInt(text.replace('.', ''));

const net = (items: PricedDocument['items'], discount: Discount | null = null): PricedDocument => ({
  vatRate: 18,
  pricesIncludeVat: false,
  items,
  discount,
});

const gross = (items: PricedDocument['items'], discount: Discount | null = null): PricedDocument => ({
  ...net(items, discount),
  pricesIncludeVat: true,
});

/** The refusal of `document`; fails when it is accepted. */
function refusalOf(document: PricedDocument): TotalsError {
  try {
    computeTotals(document);
  } catch (error) {
    if (error instanceof TotalsError) {
      return error;
    }
    throw error;
  }
  throw new Error('the document was not refused');
}

describe('the worked cases', () => {
  it('there are 80 worked cases', () => {
    expect(vectors).toHaveLength(80);
  });

  it.each(vectors)(
    'the totals of the case "$name" are as computed by hand',
    ({ vat_rate, prices_include_vat, items, discount, expect: expected }) => {
      const totals = computeTotals({
        vatRate: Number(vat_rate),
        pricesIncludeVat: prices_include_vat,
        items: items.map((item) => ({ quantity: Number(item.quantity), unitPrice: Number(item.unit_price) })),
        discount: discount && { type: discount.type as Discount['type'], value: Number(discount.value) },
      });
      expect(totals).toEqual({
        lineTotals: expected.line_totals.map(agorot),
        subtotal: agorot(expected.subtotal),
        discount: agorot(expected.discount),
        vat: agorot(expected.vat),
        total: agorot(expected.total),
      });
    },
  );
});

describe('rates with decimals', () => {
  it('a rate with decimals is applied as written, to net and to gross prices', () => {
    const items = [{ quantity: 1, unitPrice: 10 }];
    expect(computeTotals({ ...net(items), vatRate: 16.5 })).toMatchObject({ vat: 165n, total: 1165n });
    const grossItems = [{ quantity: 1, unitPrice: 11.65 }];
    expect(computeTotals({ ...gross(grossItems), vatRate: 16.5 })).toMatchObject({
      vat: 165n,
      subtotal: 1000n,
    });
  });
});

describe('a discount', () => {
  const hundred = [{ quantity: 1, unitPrice: 100 }];

  it('a discount in percent may have any number of decimals', () => {
    expect(computeTotals(net(hundred, { type: 'percent', value: 33.33333 })).discount).toBe(3333n);
    expect(computeTotals(net(hundred, { type: 'percent', value: 1e-7 })).discount).toBe(0n);
  });

  it('a discount in money with more than two decimals is rounded to agorot', () => {
    expect(computeTotals(net(hundred, { type: 'amount', value: 1.005 })).discount).toBe(101n);
    expect(computeTotals(net(hundred, { type: 'amount', value: 1.0049 })).discount).toBe(100n);
  });

  it('a discount on gross prices is shown net, a half agora rounded away from zero', () => {
    // 0.04 gross at 60 % is 0.025 net.
    const document = { ...gross(hundred, { type: 'amount', value: 0.04 }), vatRate: 60 };
    expect(computeTotals(document)).toMatchObject({ discount: 3n, total: 9996n });
  });

  it('a discount that rounds to the sum of the lines does not exceed it', () => {
    expect(computeTotals(net(hundred, { type: 'amount', value: 100.0049 })).total).toBe(0n);
  });

  it.each([net, gross])('a discount above the sum of the lines is an error at its value', (priced) => {
    expect(refusalOf(priced(hundred, { type: 'amount', value: 100.01 }))).toMatchObject({
      reason: 'discount_above_sum',
      path: '/discount/value',
      message: 'The discount of 100.01 exceeds the sum of the items, 100.00.',
    });
  });

  it('a discount above 100 percent is an error at its value, also when nothing is to be paid', () => {
    const free = [{ quantity: 1, unitPrice: 0 }];
    for (const items of [hundred, free]) {
      expect(refusalOf(net(items, { type: 'percent', value: 100.0001 }))).toMatchObject({
        reason: 'percent_above_100',
        path: '/discount/value',
      });
    }
  });
});

describe('the limit of an amount', () => {
  /** 999,999,999,999.99 in two lines. */
  const largest = [
    { quantity: 9_999, unitPrice: 100_000_000 },
    { quantity: 1, unitPrice: 99_999_999.99 },
  ];
  const oneAgora = { quantity: 1, unitPrice: 0.01 };

  it('an amount may equal the limit exactly', () => {
    const totals = computeTotals({ ...net(largest), vatRate: 0 });
    expect(totals).toMatchObject({ subtotal: AMOUNT_MAX_AGOROT, total: AMOUNT_MAX_AGOROT });
    expect(computeTotals(gross(largest)).total).toBe(AMOUNT_MAX_AGOROT);
  });

  it('a total of one agora above the limit is an error', () => {
    expect(refusalOf(gross([...largest, oneAgora]))).toMatchObject({
      reason: 'amount_above_limit',
      path: '/items',
      message: 'The total 1,000,000,000,000.00 exceeds 999,999,999,999.99.',
    });
  });

  it('the limit applies to the subtotal before the discount', () => {
    const discount: Discount = { type: 'percent', value: 50 };
    expect(refusalOf({ ...net([...largest, oneAgora], discount), vatRate: 0 })).toMatchObject({
      reason: 'amount_above_limit',
      path: '/items',
      message: 'The subtotal 1,000,000,000,000.00 exceeds 999,999,999,999.99.',
    });
  });

  it('the limit applies to a gross line of a document below the limit', () => {
    const items = [oneAgora, { quantity: 10_000, unitPrice: 100_000_000 }];
    expect(refusalOf(gross(items, { type: 'percent', value: 50 }))).toMatchObject({
      reason: 'amount_above_limit',
      path: '/items/1',
    });
  });

  it('the totals of the largest document that the API accepts are exact', () => {
    const items = Array.from({ length: 99 }, () => ({ quantity: 1_000_000, unitPrice: 100_000_000 }));
    expect(refusalOf(gross([...items, oneAgora])).message).toContain('9,900,000,000,000,000.01');
    const almost = Array.from({ length: 100 }, () => ({ quantity: 999_999.9999, unitPrice: 99_999_999.99 }));
    // 999,999.9999 × 99,999,999.99 = 99,999,999,980,000.000001: all of it but the last six decimals, a hundred times.
    expect(refusalOf(gross(almost)).message).toContain('9,999,999,998,000,000.00');
  });
});

describe('numbers that validation rejects', () => {
  it('numbers that validation rejects throw an internal error, not a TotalsError', () => {
    expect(() => computeTotals(net([{ quantity: 0.00001, unitPrice: 1 }]))).toThrow(RangeError);
    expect(() => computeTotals(net([{ quantity: 1, unitPrice: 1.005 }]))).toThrow(RangeError);
    expect(() => computeTotals({ ...net([]), vatRate: Number.NaN })).toThrow(RangeError);
  });
});
