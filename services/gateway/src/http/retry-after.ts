import { nextDayInIsrael } from '@pinkas/domain';
import { type ApiError } from '@pinkas/service-kit';

/** The whole seconds until the next day begins in Israel. */
export function secondsToMidnightInIsrael(now: Date): number {
  return Math.ceil((nextDayInIsrael(now).getTime() - now.getTime()) / 1000);
}

/** The Retry-After of a problem, in seconds, where it has one. */
export function retryAfterSeconds(apiError: ApiError, now: Date, windowSeconds: number): number | undefined {
  if (apiError.code === 'rate_limited') {
    return windowSeconds;
  }
  if (apiError.code === 'daily_limit_reached') {
    return secondsToMidnightInIsrael(now);
  }
  return undefined;
}
