import { describe, expect, it } from '@jest/globals';
import { contrast } from './colour.js';

describe('two colours', () => {
  it('differ as the guidelines measure it', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#ffffff', '#ffffff')).toBeCloseTo(1, 5);
    // A grey that is known to stand just above 4.5 on white, and the next one, which does not.
    expect(contrast('#767676', '#ffffff')).toBeGreaterThan(4.5);
    expect(contrast('#777777', '#ffffff')).toBeLessThan(4.5);
  });
});
