import { describe, expect, it } from '@jest/globals';
import { parsePercentage, portionOf, portionWithin, withoutPortion } from './percentage.js';

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
