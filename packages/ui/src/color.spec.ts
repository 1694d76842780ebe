import { describe, expect, it } from '@jest/globals';
import { contrast } from '@pinkas/domain';
import { mix, readableOn } from './color.js';

describe('colors', () => {
  it('mix blends two colors channel by channel', () => {
    expect(mix('#ff0000', '#0000ff', 0.5)).toBe('#800080');
    expect(mix('#123456', '#ffffff', 1)).toBe('#123456');
  });

  it('readableOn changes a color no more than the contrast requires', () => {
    expect(readableOn('#1d3f66', '#ffffff', 4.5)).toBe('#1d3f66');
    for (const color of ['#1d3f66', '#7a0019', '#000000', '#0b6e4f']) {
      const lightened = readableOn(color, '#151b23', 4.5);
      expect(contrast(lightened, '#151b23')).toBeGreaterThanOrEqual(4.5);
      expect(contrast(lightened, '#151b23')).toBeLessThan(8);
    }
  });
});
