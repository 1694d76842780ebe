import { describe, expect, it } from '@jest/globals';
import { defaultSettings } from './business-settings.js';

describe('a new business', () => {
  it.each([
    ['2025-12-31', 20_000],
    ['2026-01-01', 10_000],
    ['2026-05-31', 10_000],
    ['2026-06-01', 5_000],
  ])('made on %s starts with the threshold of allocation numbers of that day: %d', (today, threshold) => {
    expect(defaultSettings('osek_murshe', today).allocation_threshold_net).toBe(threshold);
  });
});
