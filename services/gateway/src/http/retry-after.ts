import { dayInIsrael, type Problem } from '@pinkas/service-kit';

const hourMs = 60 * 60 * 1000;

/** The whole seconds until the next day begins in Israel. */
export function secondsToMidnightInIsrael(now: Date): number {
  const tomorrow = new Date(`${dayInIsrael(now)}T00:00:00Z`);
  tomorrow.setUTCDate(tomorrow.getUTCDate() + 1);
  const day = tomorrow.toISOString().slice(0, 10);
  // Israel is three hours ahead of UTC in summer and two in winter; clocks never change at midnight.
  const summerMidnightMs = tomorrow.getTime() - 3 * hourMs;
  const startMs =
    dayInIsrael(new Date(summerMidnightMs)) === day ? summerMidnightMs : tomorrow.getTime() - 2 * hourMs;
  return Math.ceil((startMs - now.getTime()) / 1000);
}

/** The Retry-After of a refusal, in seconds, where it has one. */
export function retryAfterSeconds(problem: Problem, now: Date, windowSeconds: number): number | undefined {
  if (problem.code === 'rate_limited') return windowSeconds;
  if (problem.code === 'daily_limit_reached') return secondsToMidnightInIsrael(now);
  return undefined;
}
