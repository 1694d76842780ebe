/**
 * Waits for `work`, at most `timeoutMs`; then for `onTimeout`, which returns a substitute or throws. The work itself goes on, and
 * what it comes to is dropped.
 */
export async function withTimeout<T, U>(
  work: Promise<T>,
  timeoutMs: number,
  onTimeout: () => U,
): Promise<T | U> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, timeoutMs));
  }).then(onTimeout);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
