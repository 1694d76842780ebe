import { describe, expect, it } from '@jest/globals';
import { allocationPolicies, allocationPolicyOn, allocationThresholdOn } from './allocation-policy.js';

describe('the dated table of allocation numbers', () => {
  it.each([
    ['2024-05-05', 25_000],
    ['2024-12-31', 25_000],
    ['2025-01-01', 20_000],
    ['2025-12-31', 20_000],
    ['2026-01-01', 10_000],
    ['2026-05-31', 10_000],
    ['2026-06-01', 5_000],
    ['2027-01-01', 5_000],
  ])('says the threshold of %s: %d', (day, threshold) => {
    expect(allocationPolicyOn(day)?.thresholdNet).toBe(threshold);
    expect(allocationThresholdOn(day)).toBe(threshold);
  });

  it('has no policy before the law took effect, and a new business its first threshold then', () => {
    expect(allocationPolicyOn('2024-05-04')).toBeUndefined();
    expect(allocationThresholdOn('2024-05-04')).toBe(25_000);
  });

  it("knows the authority's codes of the types that get a number, and of no other", () => {
    expect(allocationPolicyOn('2026-06-15')?.codes).toEqual({
      tax_invoice: 305,
      tax_invoice_receipt: 320,
      credit_note: 330,
    });
  });

  it('stands in the order of its days', () => {
    const days = allocationPolicies.map((policy) => policy.from);
    expect(days).toEqual([...new Set(days)].sort());
  });
});
