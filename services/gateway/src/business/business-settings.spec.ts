import { describe, expect, it } from '@jest/globals';
import { defaultSettings } from './business-settings.js';

describe('defaultSettings', () => {
  it.each([
    ['2025-12-31', 20_000],
    ['2026-01-01', 10_000],
    ['2026-05-31', 10_000],
    ['2026-06-01', 5_000],
  ])('a business created on %s has the allocation threshold of that day, %d', (today, threshold) => {
    expect(defaultSettings('osek_murshe', today).allocation_threshold_net).toBe(threshold);
  });
});
