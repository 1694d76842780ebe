import { timerMaxMs } from './time-bounds.js';

/** When a request is sent again, and for how long. */
export interface RetryOptions {
  /**
   * Tries of one call at the most, the first included; 1 turns retries off. Default 5. Tries that met `request_in_progress`
   * do not count: what another request issues is worth the whole time.
   */
  readonly attemptsMax?: number;
  /** The longest wait before the second try, in milliseconds; it doubles from try to try. Default 500. */
  readonly firstDelayMs?: number;
  /** The longest wait before any try, in milliseconds, beside what the interface asks for. Default 10,000. */
  readonly delayMaxMs?: number;
  /** All tries and waits of one call together, in milliseconds. Default 120,000. */
  readonly totalMs?: number;
}

/** The options with nothing left open. */
export type RetryPolicy = Required<RetryOptions>;

/**
 * Fills what is left open.
 * @throws RangeError where a number makes no sense.
 */
export function retryPolicy(options: RetryOptions = {}): RetryPolicy {
  const policy = { attemptsMax: 5, firstDelayMs: 500, delayMaxMs: 10_000, totalMs: 120_000, ...options };
  if (!Number.isInteger(policy.attemptsMax) || policy.attemptsMax < 1) {
    throw new RangeError('retry.attemptsMax must be a whole number from 1');
  }
  for (const name of ['firstDelayMs', 'delayMaxMs'] as const) {
    if (!(Number.isFinite(policy[name]) && policy[name] >= 0)) {
      throw new RangeError(`retry.${name} must be a number from 0`);
    }
  }
  if (!(policy.totalMs >= 1 && policy.totalMs <= timerMaxMs)) {
    throw new RangeError(`retry.totalMs must be a number from 1 to ${timerMaxMs}`);
  }
  return policy;
}

/**
 * How long to wait before the next try, in milliseconds: anything up to a bound that doubles (full jitter, so that many
 * callers do not come back together), after what the interface asks for.
 * @param tries how many there were.
 * @param random from 0 to below 1.
 */
export function delayMs(
  policy: RetryPolicy,
  tries: number,
  random: number,
  retryAfterMs: number | undefined,
): number {
  // So many doublings pass every bound; more would pass what a number holds.
  const bound = Math.min(policy.delayMaxMs, policy.firstDelayMs * 2 ** Math.min(tries - 1, 50));
  return (retryAfterMs ?? 0) + Math.round(random * bound);
}

/**
 * A Retry-After header (RFC 9110, 10.2.3): seconds, or an HTTP date.
 * @returns milliseconds from now, or undefined where there is none that can be read.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // A date has a name of a day; Date.parse takes other things for dates as well.
  const atMs = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
