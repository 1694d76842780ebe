const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The pauses between the attempts on a webhook; after the last one it is given up. */
export const webhookPausesMs = [
  5 * secondMs,
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const;

/** By how much of itself a pause varies, so that what failed at once does not come again at once. */
const jitter = 0.1;

/**
 * When the next attempt follows; null: none does.
 * @param attempts so far.
 * @param random from 0 to 1.
 */
export function nextWebhookAttempt(attempts: number, now: Date, random: number): Date | null {
  const pauseMs = webhookPausesMs[attempts - 1];
  return pauseMs === undefined ? null : new Date(now.getTime() + pauseMs * (1 + jitter * (2 * random - 1)));
}
