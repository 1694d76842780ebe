import { describe, expect, it } from '@jest/globals';
import { contracts } from './catalogue.js';
import { nestedTimeLimits, timeLimitsMs } from './time-limits.js';

describe('timeLimitsMs', () => {
  it.each(nestedTimeLimits)('the limit $outer is at least as long as $inner together', ({ outer, inner }) => {
    const neededMs = inner.reduce((sum, limit) => sum + timeLimitsMs[limit], 0);
    expect(timeLimitsMs[outer]).toBeGreaterThanOrEqual(neededMs);
  });

  it('no contract waits longer than the longest operator call', () => {
    for (const { subject, timeoutMs } of contracts) {
      expect({ subject, fits: timeoutMs <= timeLimitsMs.operatorCall }).toEqual({ subject, fits: true });
    }
  });
});
