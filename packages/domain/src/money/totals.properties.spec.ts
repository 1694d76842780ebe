import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Discount, PricedDocument, Totals } from './totals.js';
import { computeTotals } from './totals.js';
import { TotalsError } from './totals-error.js';

/**
 * A document in whole units, from which both the request's JSON numbers and the reference calculation are made: the
 * reference never reads a double.
 */
interface Drawn {
  readonly rateHundredths: number;
  readonly pricesIncludeVat: boolean;
  readonly items: readonly { readonly quantityTenThousandths: number; readonly priceAgorot: number }[];
  readonly discount: { readonly type: Discount['type']; readonly valueThousandths: number } | null;
}

/** Small numbers meet halves and zeros; large ones meet the ends of the ranges. */
const upTo = (min: number, max: number) =>
  fc.oneof(fc.integer({ min, max: 200 }), fc.integer({ min, max }), fc.constantFrom(min, max - 1, max));

const item = fc.record({
  quantityTenThousandths: fc.oneof(upTo(1, 10_000_000_000), fc.constantFrom(5_000, 10_000, 20_000)),
  priceAgorot: upTo(0, 10_000_000_000),
});

const discount = fc.oneof(
  fc.record({ type: fc.constant('percent' as const), valueThousandths: upTo(1, 101_000) }),
  fc.record({ type: fc.constant('amount' as const), valueThousandths: upTo(1, 100_000_000_000) }),
);

/** At 60 % a gross amount of 0.04 holds exactly 0.025 net: a half, which the real rates seldom meet. */
const rateHundredths = fc.oneof(
  fc.constantFrom(0, 1650, 1700, 1800, 6000),
  fc.integer({ min: 0, max: 10_000 }),
);

const drawn: fc.Arbitrary<Drawn> = fc.record({
  rateHundredths,
  pricesIncludeVat: fc.boolean(),
  items: fc.array(item, { minLength: 1, maxLength: 100 }),
  discount: fc.option(discount),
});

/** The request that carries `document`. Dividing by a power of ten yields the double nearest to the decimal. */
function requested(document: Drawn): PricedDocument {
  return {
    vatRate: document.rateHundredths / 100,
    pricesIncludeVat: document.pricesIncludeVat,
    items: document.items.map(({ quantityTenThousandths, priceAgorot }) => ({
      quantity: quantityTenThousandths / 10_000,
      unitPrice: priceAgorot / 100,
    })),
    discount: document.discount && {
      type: document.discount.type,
      value: document.discount.valueThousandths / 1_000,
    },
  };
}

/** A non-negative fraction, never shortened: slow, and plainly right. */
class Rational {
  constructor(
    readonly top: bigint,
    readonly bottom: bigint = 1n,
  ) {}

  plus(other: Rational): Rational {
    return new Rational(this.top * other.bottom + other.top * this.bottom, this.bottom * other.bottom);
  }

  minus(other: Rational): Rational {
    return this.plus(new Rational(-other.top, other.bottom));
  }

  times(other: Rational): Rational {
    return new Rational(this.top * other.top, this.bottom * other.bottom);
  }

  dividedBy(other: Rational): Rational {
    return this.times(new Rational(other.bottom, other.top));
  }

  isAbove(other: Rational): boolean {
    return this.top * other.bottom > other.top * this.bottom;
  }

  /** Of the whole numbers below and above, the nearer; the upper when both are equally near. */
  rounded(): bigint {
    const below = this.top / this.bottom;
    const toBelow = this.minus(new Rational(below));
    const toAbove = new Rational(below + 1n).minus(this);
    return toAbove.isAbove(toBelow) ? below : below + 1n;
  }
}

/** The same totals from first principles, in rationals, or the reason for which there are none. */
function reference({ rateHundredths, pricesIncludeVat, items, discount }: Drawn): Totals | string {
  const lineTotals = items.map(({ quantityTenThousandths, priceAgorot }) =>
    new Rational(BigInt(quantityTenThousandths), 10_000n).times(new Rational(BigInt(priceAgorot))).rounded(),
  );
  let listed = 0n;
  for (const amount of lineTotals) {
    listed += amount;
  }

  let deducted = 0n;
  if (discount !== null) {
    const value = new Rational(BigInt(discount.valueThousandths), 1_000n);
    const hundred = new Rational(100n);
    if (discount.type === 'percent' && value.isAbove(hundred)) {
      return 'percent_above_100';
    }
    const agorot =
      discount.type === 'percent'
        ? new Rational(listed).times(value).dividedBy(hundred)
        : value.times(hundred);
    deducted = agorot.rounded();
    if (deducted > listed) {
      return 'discount_above_sum';
    }
  }

  const factor = new Rational(1n).plus(new Rational(BigInt(rateHundredths), 10_000n));
  const paid = new Rational(listed - deducted);
  let totals: Omit<Totals, 'lineTotals'>;
  if (pricesIncludeVat) {
    const vat = paid.minus(paid.dividedBy(factor)).rounded();
    const netDiscount = new Rational(deducted).dividedBy(factor).rounded();
    totals = { subtotal: paid.top - vat + netDiscount, discount: netDiscount, vat, total: paid.top };
  } else {
    const vat = paid.times(factor).minus(paid).rounded();
    totals = { subtotal: listed, discount: deducted, vat, total: paid.top + vat };
  }
  const tooLarge = [...lineTotals, ...Object.values(totals)].some((amount) => amount > 99_999_999_999_999n);
  return tooLarge ? 'amount_above_limit' : { lineTotals, ...totals };
}

function computed(document: Drawn): Totals | string {
  try {
    return computeTotals(requested(document));
  } catch (error) {
    if (error instanceof TotalsError) {
      return error.reason;
    }
    throw error;
  }
}

/** Runs `check` on every drawn document that has totals; refused ones count as not drawn. */
function forEveryAccepted(check: (totals: Totals, document: Drawn) => void): void {
  fc.assert(
    fc.property(drawn, (document) => {
      const totals = computed(document);
      fc.pre(typeof totals !== 'string');
      check(totals, document);
    }),
  );
}

describe('computeTotals with random documents', () => {
  it('totals equal an independent calculation in rationals, including the errors', () => {
    fc.assert(
      fc.property(drawn, (document) => {
        expect(computed(document)).toEqual(reference(document));
      }),
      { numRuns: 1_000 },
    );
  });

  it('totals add up (subtotal − discount + vat = total), and none is negative', () => {
    forEveryAccepted(({ lineTotals, subtotal, discount, vat, total }) => {
      expect(subtotal - discount + vat).toBe(total);
      for (const amount of [...lineTotals, subtotal, discount, vat, total]) {
        expect(amount >= 0n).toBe(true);
      }
    });
  });

  it('gross lines sum to the total and net lines to the subtotal when there is no discount', () => {
    forEveryAccepted((_, document) => {
      const totals = computed({ ...document, discount: null });
      fc.pre(typeof totals !== 'string');
      const listed = totals.lineTotals.reduce((a, b) => a + b, 0n);
      expect(document.pricesIncludeVat ? totals.total : totals.subtotal).toBe(listed);
      expect(totals.discount).toBe(0n);
    });
  });

  it('the total of gross prices is exactly the sum of the lines less the discount', () => {
    const amounts = fc.array(item, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(amounts, fc.nat(100_000_000), rateHundredths, (items, wanted, rate) => {
        const document: Drawn = { rateHundredths: rate, pricesIncludeVat: true, items, discount: null };
        const plain = computed(document);
        fc.pre(typeof plain !== 'string' && plain.total > 0n);
        const agorot = Math.min(wanted + 1, Number(plain.total));
        const reduced = computed({
          ...document,
          discount: { type: 'amount', valueThousandths: agorot * 10 },
        });
        expect(reduced).toMatchObject({ total: plain.total - BigInt(agorot) });
      }),
    );
  });

  it('totals do not depend on the order of the lines', () => {
    forEveryAccepted((totals, document) => {
      const reversed = computed({ ...document, items: [...document.items].reverse() });
      expect(reversed).toEqual({ ...totals, lineTotals: [...totals.lineTotals].reverse() });
    });
  });
});
