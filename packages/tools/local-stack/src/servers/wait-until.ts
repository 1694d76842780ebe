import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until `condition` holds.
 *
 * @param condition - called every `everyMs`; an error counts as 'not yet', and is the cause of the error at the deadline.
 * @throws Error that names `what` when the condition does not hold within `timeoutMs`.
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { what, timeoutMs, everyMs = 20 }: { what: string; timeoutMs: number; everyMs?: number },
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      if (await condition()) {
        return;
      }
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() >= deadline) {
      throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: lastError });
    }
    await delay(everyMs);
  }
}
