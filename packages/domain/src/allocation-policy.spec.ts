import { describe, expect, it } from '@jest/globals';
import { allocationPolicies, allocationPolicyOn, allocationThresholdOn } from './allocation-policy.js';

describe('allocationPolicies', () => {
  it.each([
    ['2024-05-05', 25_000],
    ['2024-12-31', 25_000],
    ['2025-01-01', 20_000],
    ['2025-12-31', 20_000],
    ['2026-01-01', 10_000],
    ['2026-05-31', 10_000],
    ['2026-06-01', 5_000],
    ['2027-01-01', 5_000],
  ])('the threshold on %s is %d', (day, threshold) => {
    expect(allocationPolicyOn(day)?.thresholdNet).toBe(threshold);
    expect(allocationThresholdOn(day)).toBe(threshold);
  });

  it('there is no policy before the law took effect, and the first threshold applies from that day', () => {
    expect(allocationPolicyOn('2024-05-04')).toBeUndefined();
    expect(allocationThresholdOn('2024-05-04')).toBe(25_000);
  });

  it('the types that get a number, and no others, have a code of the authority', () => {
    expect(allocationPolicyOn('2026-06-15')?.codes).toEqual({
      tax_invoice: 305,
      tax_invoice_receipt: 320,
      credit_note: 330,
    });
  });

  it('the policies are sorted by their first day', () => {
    const days = allocationPolicies.map((policy) => policy.from);
    expect(days).toEqual([...new Set(days)].sort());
  });
});
