import { Injectable } from '@nestjs/common';
import { type Background, InjectConfig, InjectLogger, type Logger } from '@pinkas/service-kit';
import { Redis } from 'ioredis';
import type { GatewayConfig } from '../config.js';

/** Long enough for a busy machine: whoever gives up too early counts alone, and then two gateways let through too many. */
const commandTimeoutMs = 500;
const startWaitMs = 1_000;
/** A count is looked at for one minute; the second one covers clocks that differ. */
const keptMs = 120_000;
/** After a failure the next requests do not wait for Redis again. */
const restMs = 1_000;

/** Increments and, at the first request of a minute, says when to forget: one round trip. */
const countRequest = `
  local count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return count
`;

interface CountingRedis extends Redis {
  countRequest(key: string, keptMs: number): Promise<number>;
}

/** Counts requests in Redis, for all gateways together. Redis may be away: then it says so at once. */
@Injectable()
export class RedisCounter implements Background {
  readonly #redis: CountingRedis;
  #awayUntilMs = 0;
  #away = false;

  constructor(
    @InjectConfig() config: Pick<GatewayConfig, 'redisUrl'>,
    @InjectLogger() private readonly logger: Logger,
  ) {
    this.#redis = new Redis(config.redisUrl, {
      lazyConnect: true,
      connectTimeout: 2_000,
      commandTimeout: commandTimeoutMs,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
      scripts: { countRequest: { lua: countRequest, numberOfKeys: 1 } },
    }) as CountingRedis;
    // Said once by `#says`, when a request notices.
    this.#redis.on('error', () => {});
  }

  /** Waits a little for the connection; a Redis that hangs must not keep the gateway from starting. */
  async start(): Promise<void> {
    const connected = this.#redis.connect().catch((error: unknown) => this.#says(error));
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, startWaitMs);
    });
    await Promise.race([connected, waited]);
    clearTimeout(timer);
  }

  async stop(): Promise<void> {
    this.#redis.disconnect();
  }

  /** Counts one request. @returns the count with it, or null while Redis is away. */
  async increment(id: string, minute: number): Promise<number | null> {
    if (performance.now() < this.#awayUntilMs) return null;
    try {
      const count = await this.#redis.countRequest(`pinkas:requests:${id}:${minute}`, keptMs);
      this.#says(null);
      return count;
    } catch (error) {
      this.#awayUntilMs = performance.now() + restMs;
      this.#says(error);
      return null;
    }
  }

  /** One line in the log for each change, not for each request. */
  #says(error: unknown): void {
    const away = error !== null;
    if (away === this.#away) return;
    this.#away = away;
    // The message alone: the error itself repeats the command, and with it the address of a client.
    const reason = error instanceof Error ? error.message : String(error);
    if (away) this.logger.warn({ reason }, 'Redis is away: each gateway counts requests by itself');
    else this.logger.info('Redis is back: requests are counted together again');
  }
}
