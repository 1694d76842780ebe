import { Injectable } from '@nestjs/common';
import type { ApiKey } from '@pinkas/contracts';
import { type Clock, InjectClock } from '@pinkas/service-kit';
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

/** Requests a minute of one address without a valid key. */
const addressPerMinute = 60;
/** Requests a minute of one address for pages, besides those of documents that exist. */
const pagesPerMinute = 60;
/** Requests a minute of one address for pages and PDFs of documents that exist: an office may open a hundred invoices. */
const documentsPerMinute = 600;
const lookupsPerMinute = 1_000;
/** Files a minute of one address: each is hashed, and its signature verified. */
const uploadsPerMinute = 20;
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

/** The rate limit of a client without a valid key. An IPv6 client owns a whole /64, so it is counted as one. */
export function addressRateLimit(address: string): RateLimit {
  return { id: `address:${networkOf(address)}`, perMinute: addressPerMinute };
}

/** The rate limit of a client for other pages, and for documents that do not exist. */
export function pageRateLimit(address: string): RateLimit {
  return { id: `pages:${networkOf(address)}`, perMinute: pagesPerMinute };
}

/** The rate limit of a client for pages and PDFs of documents that exist. */
export function documentRateLimit(address: string): RateLimit {
  return { id: `documents:${networkOf(address)}`, perMinute: documentsPerMinute };
}

/** How often documents are looked up for a client, so that a flood costs no queries; no client gets there within both limits. */
export function lookupRateLimit(address: string): RateLimit {
  return { id: `lookups:${networkOf(address)}`, perMinute: lookupsPerMinute };
}

/** The rate limit of a client for files that it sends, besides that for pages. */
export function uploadRateLimit(address: string): RateLimit {
  return { id: `uploads:${networkOf(address)}`, perMinute: uploadsPerMinute };
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
