/** The longest time that a timer keeps: above it, it fires at once. */
export const timerMaxMs = 2 ** 31 - 1;

/**
 * Checks the time limit of one attempt against the range of a timer.
 * @throws RangeError where it is no time, in milliseconds.
 */
export function checkedTimeoutMs(timeoutMs: number): number {
  if (!(Number.isFinite(timeoutMs) && timeoutMs >= 1 && timeoutMs <= timerMaxMs)) {
    throw new RangeError(`timeoutMs must be a number from 1 to ${timerMaxMs}`);
  }
  return timeoutMs;
}
