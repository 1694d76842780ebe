import { Injectable } from '@nestjs/common';
import { timeLimitsMs } from '@pinkas/contracts';
import { type BackgroundTask, InjectConfig, InjectLogger, type Logger } from '@pinkas/service-kit';
import { withTimeout } from '@pinkas/service-kit/concurrency';
import { Redis } from 'ioredis';
import type { GatewayConfig } from '../config.js';

const startWaitMs = 1_000;
/** A count is read for one minute; the second one covers clocks that differ. */
const countTtlMs = 120_000;
/** After a failure, requests do not wait for Redis until this time has passed. */
const backoffMs = 1_000;

/** Increments, and sets the expiry with the first request of a minute: one round trip. */
const countRequest = `
  local count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return count
`;

function expire(): never {
  throw new Error('Redis did not answer in time');
}

interface CountingRedis extends Redis {
  countRequest(key: string, countTtlMs: number): Promise<number>;
}

/** Counts requests in Redis, for all gateways together, and in memory while Redis is unreachable. */
@Injectable()
export class RequestCounter implements BackgroundTask {
  readonly #redis: CountingRedis;
  readonly #local = new LocalCounter();
  #backoffUntilMs = 0;
  #reachable = true;

  constructor(
    @InjectConfig() config: Pick<GatewayConfig, 'redisUrl'>,
    @InjectLogger() private readonly logger: Logger,
  ) {
    this.#redis = new Redis(config.redisUrl, {
      lazyConnect: true,
      connectTimeout: 2_000,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
      scripts: { countRequest: { lua: countRequest, numberOfKeys: 1 } },
    }) as CountingRedis;
    // `#logReachability` logs the failure when a request meets it.
    this.#redis.on('error', () => {});
  }

  /** Waits a short time for the connection; a Redis that hangs must not keep the gateway from starting. */
  async start(): Promise<void> {
    const connected = this.#redis.connect().catch((error: unknown) => this.#logReachability(error));
    await withTimeout(connected, startWaitMs, () => {});
  }

  async stop(): Promise<void> {
    this.#redis.disconnect();
  }

  /** Counts one request of a minute. @returns the count with it. */
  async increment(id: string, minute: number): Promise<number> {
    return this.#local.increment(id, minute, await this.#incrementInRedis(id, minute));
  }

  /** Whether Redis answers in time. */
  isReachable(): Promise<boolean> {
    const answer = this.#redis.ping().then(
      () => true,
      () => false,
    );
    return withTimeout(answer, timeLimitsMs.rateLimitCommand, () => false);
  }

  /** @returns null while Redis is unreachable. */
  async #incrementInRedis(id: string, minute: number): Promise<number | null> {
    if (performance.now() < this.#backoffUntilMs) {
      return null;
    }
    try {
      // Long enough for a busy machine: gateways that count alone allow too many requests together.
      const count = await withTimeout(
        this.#redis.countRequest(`pinkas:requests:${id}:${minute}`, countTtlMs),
        timeLimitsMs.rateLimitCommand,
        expire,
      );
      this.#logReachability(null);
      return count;
    } catch (error) {
      this.#backoffUntilMs = performance.now() + backoffMs;
      this.#logReachability(error);
      return null;
    }
  }

  /** Logs each change, not each request. */
  #logReachability(error: unknown): void {
    const reachable = error === null;
    if (reachable === this.#reachable) {
      return;
    }
    this.#reachable = reachable;
    if (reachable) {
      this.logger.info('redis reachable');
      return;
    }
    // The message alone: the error itself repeats the command, and with it the address of a client.
    const reason = error instanceof Error ? error.message : String(error);
    this.logger.warn({ reason }, 'redis unreachable');
  }
}

/** Further ids in one minute share one count: memory stays bounded under a flood of addresses. */
const idsMax = 20_000;
const sharedId = 'shared';

/** Counts requests in the memory of this process, for one minute at a time. */
export class LocalCounter {
  #minute = 0;
  #counts = new Map<string, number>();

  /**
   * Counts one request. A Redis that becomes unreachable, or comes back empty, does not restart the minute of a client.
   * @param redisCount what Redis counted, or null.
   * @returns the count with this request.
   */
  increment(id: string, minute: number, redisCount: number | null): number {
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
    }
    const known = this.#counts.has(id) || this.#counts.size < idsMax;
    if (!known && redisCount !== null) {
      return redisCount;
    }
    const countedId = known ? id : sharedId;
    const count = Math.max((this.#counts.get(countedId) ?? 0) + 1, redisCount ?? 0);
    this.#counts.set(countedId, count);
    return count;
  }
}
