import { Injectable } from '@nestjs/common';
import type { ApiKey } from '@pinkas/contracts';
import { nextDayInIsrael } from '@pinkas/domain';
import { type ApiError, type Clock, InjectClock } from '@pinkas/service-kit';
import { networkOf } from '@pinkas/service-kit/http';
import { RequestCounter } from './request-counter.js';

/** Who is limited, and to how many requests a minute. */
export interface RateLimit {
  readonly id: string;
  readonly perMinute: number;
}

/** A rate limit after one more request. */
export interface RateLimitResult {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until the next minute begins. */
  readonly resetSeconds: number;
}

/** Requests a minute of one client, by what they are for. */
const perMinute = {
  /** The HTTP API without a valid key. */
  address: 60,
  /** Pages, besides those of documents that exist. */
  pages: 60,
  /** Pages and PDFs of documents that exist: an office may open a hundred invoices. */
  documents: 600,
  /** Documents that are looked up, so that a flood costs no queries; no client gets there within the limits of both. */
  lookups: 1_000,
  /** Files, besides the limit of pages: each is hashed, and its signature verified. */
  uploads: 20,
} as const;
const minuteMs = 60_000;

/** Counts requests against rate limits. Never fails. */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly counter: RequestCounter,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Counts one request against a rate limit. */
  async consume(limit: RateLimit): Promise<RateLimitResult> {
    const now = this.clock.now();
    return rateLimitResult(limit, await this.counter.increment(limit.id, minuteOf(now)), now);
  }
}

/** The rate limit of a key. */
export function keyRateLimit(key: ApiKey): RateLimit {
  return { id: `key:${key.id}`, perMinute: key.per_minute };
}

/** The rate limit of a client by its address. An IPv6 client owns a whole /64, so it is counted as one. */
export function clientRateLimit(address: string, use: keyof typeof perMinute = 'address'): RateLimit {
  return { id: `${use}:${networkOf(address)}`, perMinute: perMinute[use] };
}

/** The wall-clock minute of an instant: the window in which requests are counted together. */
export function minuteOf(now: Date): number {
  return Math.floor(now.getTime() / minuteMs);
}

/** @param count the requests of this minute, the current one included. */
export function rateLimitResult(limit: RateLimit, count: number, now: Date): RateLimitResult {
  return {
    allowed: count <= limit.perMinute,
    limit: limit.perMinute,
    remaining: Math.max(0, limit.perMinute - count),
    resetSeconds: Math.ceil(((minuteOf(now) + 1) * minuteMs - now.getTime()) / 1000),
  };
}

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
