import { describe, expect, it } from '@jest/globals';
import { contrast, textContrastMin } from '@pinkas/domain';
import { pageTokens, printTokens } from './design-tokens.js';

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
