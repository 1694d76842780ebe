import { LookTimer } from '@pinkas/service-kit/concurrency';

/** The pauses between two probes grow from the first to the longest: what is there at once is seen at once, and a long wait is cheap. */
const firstPauseMs = 10;
const longestPauseMs = 250;

/**
 * Waits for a condition rather than for a time: probes again and again until `probe` returns something true. The time is a bound for
 * a machine that other programs use as well, and counted in looks; what is expected within a time is asserted by the product's own
 * limits.
 * @throws what `probe` threw last, or an Error that says what was waited for, when the time is over.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  timeoutMs = 60_000,
): Promise<T> {
  let isOver = false;
  const timer = new LookTimer(timeoutMs, () => {
    isOver = true;
  });
  let failure: unknown;
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.3, longestPauseMs)) {
      try {
        const value = await probe();
        if (value) {
          return value;
        }
        failure = undefined;
      } catch (error) {
        failure = error;
      }
      if (isOver) {
        throw failure ?? new Error(`Waited ${timeoutMs} ms in vain: ${what}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  } finally {
    timer.end();
  }
}
