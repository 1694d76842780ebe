import { LookTimer } from './look-timer.js';

/**
 * Waits for `work`, at most `timeoutMs`, counted in looks; then for `onTimeout`, which returns a substitute or throws. The work itself goes on, and
 * what it comes to is dropped.
 */
export async function withTimeout<T, U>(
  work: Promise<T>,
  timeoutMs: number,
  onTimeout: () => U,
): Promise<T | U> {
  let timer: LookTimer | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = new LookTimer(timeoutMs, resolve);
  }).then(onTimeout);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    timer?.end();
  }
}
