import { Problem, remainingMs } from '@pinkas/service-kit';

/** No request is waited for longer than this, in milliseconds, whatever its own deadline says. */
const longestMs = 60_000;

/**
 * Waits for work until the deadline of the request in hand.
 * @throws Problem `engine_error` at the deadline; the work itself ends at bounds of its own.
 */
export async function beforeDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Problem('engine_error', { cause: new Error('the deadline of the request passed') })),
      Math.max(0, remainingMs(longestMs)),
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
