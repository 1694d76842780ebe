import { describe, expect, it } from '@jest/globals';
import { restartDelayMs } from './backoff.js';

describe('restartDelayMs', () => {
  it('a crashed part is restarted at once the first time, then after a delay that doubles up to 15 seconds', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 50].map(restartDelayMs)).toEqual([
      0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000,
    ]);
  });
});
