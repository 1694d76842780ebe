import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks again and again until `condition` holds.
 *
 * @param condition - asked every `everyMs`; what it throws counts as 'not yet' and is reported at the deadline.
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
