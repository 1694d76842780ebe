import { describe, expect, it } from '@jest/globals';
import { nextAttemptAt } from './retry-schedule.js';

describe('nextAttemptAt', () => {
  const since = new Date('2026-06-15T08:00:00Z');

  it('a failed attempt is repeated after 5 s, 30 s, 2 min, 10 min, 1 h, then every hour, for up to a day', () => {
    const pauses: number[] = [];
    let now = since;
    for (let attempts = 1; ; attempts += 1) {
      const next = nextAttemptAt(attempts, since, now);
      if (!next) {
        break;
      }
      pauses.push((next.getTime() - now.getTime()) / 1_000);
      now = next;
    }
    expect(pauses.slice(0, 7)).toEqual([5, 30, 120, 600, 3_600, 3_600, 3_600]);
    expect(new Set(pauses.slice(4))).toEqual(new Set([3_600]));
    const hours = (now.getTime() - since.getTime()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThanOrEqual(24);
  });
});
