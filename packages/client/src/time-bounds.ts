/** The longest time that a timer keeps: above it, it fires at once. */
export const timerMaxMs = 2 ** 31 - 1;

/**
 * Holds the longest wait for one try against what a timer keeps.
 * @throws RangeError where it is no time, in milliseconds.
 */
export function checkedTimeoutMs(timeoutMs: number): number {
  if (!(Number.isFinite(timeoutMs) && timeoutMs >= 1 && timeoutMs <= timerMaxMs)) {
    throw new RangeError(`timeoutMs must be a number from 1 to ${timerMaxMs}`);
  }
  return timeoutMs;
}
