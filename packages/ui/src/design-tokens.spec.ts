import { describe, expect, it } from '@jest/globals';
import { contrast, textContrastMin } from '@pinkas/domain';
import { mix, readableOn } from './color.js';
import { pageTokens, printTokens } from './design-tokens.js';
import {
  formatDate,
  formatInstantDay,
  formatInstantTime,
  formatMoney,
  formatPercent,
  formatQuantity,
  shekels,
} from './figures.js';

/** The colors of one block of custom properties. */
function colorsOf(block: string): Record<string, string> {
  return Object.fromEntries(
    [...block.matchAll(/--([a-z-]+):(#[0-9a-f]{6})/g)].map(([, name, value]) => [name, value]),
  );
}

describe('design tokens', () => {
  const [light = '', dark = ''] = pageTokens(undefined).split('@media');

  it.each([
    ['light', colorsOf(light)],
    ['dark', colorsOf(dark)],
    ['printed', colorsOf(printTokens(undefined))],
    ['in an accent that can just be read, light', colorsOf(pageTokens('#767676').split('@media')[0] ?? '')],
    ['in the accent of a business, dark', colorsOf(pageTokens('#7a0019').split('@media')[1] ?? '')],
  ])('every text has enough contrast: %s', (_name, inks) => {
    const pairs = [
      ['ink', 'paper'],
      ['soft', 'paper'],
      ['alarm', 'paper'],
      ['accent', 'paper'],
      ['ink', 'tint'],
      ['soft', 'tint'],
      ['accent-on-tint', 'tint'],
      ['accent-on-desk', 'desk'],
      ['alarm', 'desk'],
      ['ink', 'desk'],
      ['soft', 'desk'],
      ['on-accent', 'accent'],
      ['ink', 'stamp'],
    ] as const;
    for (const [text, ground] of pairs) {
      const found = contrast(inks[text] ?? '', inks[ground] ?? '');
      if (found < textContrastMin) {
        throw new Error(`${text} on ${ground} has a contrast of ${found.toFixed(2)}`);
      }
    }
    expect(Object.keys(inks)).toContain('stamp');
  });
});

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

describe('figures', () => {
  it('formatMoney writes two decimals and separates thousands', () => {
    expect([0, 0.1, 1234.5, 999_999_999_999.99, -150].map(formatMoney)).toEqual([
      '0.00',
      '0.10',
      '1,234.50',
      '999,999,999,999.99',
      '-150.00',
    ]);
  });

  it('formatQuantity writes the decimals that a quantity has', () => {
    expect([1, 0.0001, 1000000, 2.5].map(formatQuantity)).toEqual(['1', '0.0001', '1,000,000', '2.5']);
  });

  it('formatPercent writes no needless decimals', () => {
    expect([0, 18, 17.5, 33.33].map(formatPercent)).toEqual(['0%', '18%', '17.5%', '33.33%']);
  });

  it('days are written as each language writes them, those of instants as they are in Israel', () => {
    expect(formatDate('2026-03-08', 'he')).toBe('08/03/2026');
    expect(formatDate('2026-03-08', 'en')).toBe('8 Mar 2026');
    expect(formatDate('2026-11-22', 'en')).toBe('22 Nov 2026');
    expect(formatInstantDay('2026-03-09T22:30:00Z', 'he')).toBe('10/03/2026');
    expect(formatInstantDay('2026-07-09T21:30:00Z', 'en')).toBe('10 Jul 2026');
  });

  it('times of day are written as they are in Israel, in winter and in summer', () => {
    expect(formatInstantTime('2026-03-09T22:30:00Z')).toBe('00:30');
    expect(formatInstantTime('2026-07-09T21:05:59Z')).toBe('00:05');
  });

  it('shekels puts the sign where each language writes it', () => {
    expect(shekels(1234.5, 'he').text).toBe('<bdi dir="ltr">1,234.50</bdi> ₪');
    expect(shekels(-1234.5, 'en').text).toBe('<bdi dir="ltr">-₪1,234.50</bdi>');
  });
});
