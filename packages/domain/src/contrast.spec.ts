import { describe, expect, it } from '@jest/globals';
import { contrast } from './contrast.js';

describe('contrast', () => {
  it('the contrast of two colours is measured as in WCAG', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#ffffff', '#ffffff')).toBeCloseTo(1, 5);
    // The lightest grey with a contrast of 4.5 on white, and the next lighter one.
    expect(contrast('#767676', '#ffffff')).toBeGreaterThan(4.5);
    expect(contrast('#777777', '#ffffff')).toBeLessThan(4.5);
  });
});
