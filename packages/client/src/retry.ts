import { timerMaxMs } from './time-bounds.js';

/** When a request is sent again, and for how long. */
export interface RetryOptions {
  /**
   * The maximum number of attempts of one call, the first included; 1 disables retries. Default 5. Attempts that got
   * `request_in_progress` do not count: the document of the other request is awaited until `totalMs`.
   */
  readonly attemptsMax?: number;
  /** The maximum delay before the second attempt, in milliseconds; it doubles with every attempt. Default 500. */
  readonly firstDelayMs?: number;
  /** The maximum delay before any attempt, in milliseconds, without a `Retry-After` of the API. Default 10,000. */
  readonly delayMaxMs?: number;
  /** All attempts and delays of one call together, in milliseconds. Default 120,000. */
  readonly totalMs?: number;
}

/** The options with their defaults filled in. */
export type RetryPolicy = Required<RetryOptions>;

/**
 * Fills in the defaults.
 * @throws RangeError when a number is invalid.
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
 * The delay before the next attempt, in milliseconds: random up to a bound that doubles (full jitter, so that many callers
 * do not come back together), plus the `Retry-After` of the API.
 * @param attempts the attempts so far.
 * @param random from 0 to below 1.
 */
export function delayMs(
  policy: RetryPolicy,
  attempts: number,
  random: number,
  retryAfterMs: number | undefined,
): number {
  // 50 doublings exceed every bound; more could overflow.
  const bound = Math.min(policy.delayMaxMs, policy.firstDelayMs * 2 ** Math.min(attempts - 1, 50));
  return (retryAfterMs ?? 0) + Math.round(random * bound);
}

/**
 * A Retry-After header (RFC 9110, 10.2.3): seconds, or an HTTP date.
 * @returns milliseconds from now, or undefined when there is no valid header.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) {
    return Number(text) * 1000;
  }
  // An HTTP date begins with a weekday; Date.parse also accepts other formats.
  const atMs = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
