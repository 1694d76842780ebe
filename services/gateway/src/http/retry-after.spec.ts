import { describe, expect, it } from '@jest/globals';
import { secondsToMidnightInIsrael } from './retry-after.js';

describe('secondsToMidnightInIsrael', () => {
  it.each([
    ['2026-06-15T20:59:59.500Z', 1],
    ['2026-06-15T21:00:00.000Z', 24 * 3600],
    ['2026-01-15T21:59:00.000Z', 60],
    ['2026-01-15T22:00:00.000Z', 24 * 3600],
  ])('the next day in Israel after %s begins in %d seconds', (now, seconds) =>
    expect(secondsToMidnightInIsrael(new Date(now))).toBe(seconds),
  );

  it('a day of 23 or 25 hours is counted as such when the clocks change', () => {
    expect(secondsToMidnightInIsrael(new Date('2026-03-26T22:00:00.000Z'))).toBe(23 * 3600);
    expect(secondsToMidnightInIsrael(new Date('2026-10-24T21:00:00.000Z'))).toBe(25 * 3600);
  });
});
