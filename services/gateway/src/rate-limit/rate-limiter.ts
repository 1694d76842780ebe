import { Injectable } from '@nestjs/common';
import { type Clock, InjectClock } from '@pinkas/service-kit';
import { type Allowance, allowanceOf, type Budget, minuteOf } from './budget.js';
import { LocalCounter } from './local-counter.js';
import { RedisCounter } from './redis-counter.js';

/** Spends the budgets of a minute. Never fails: while Redis is away it counts what it sees itself. */
@Injectable()
export class RateLimiter {
  readonly #local = new LocalCounter();

  constructor(
    private readonly redis: RedisCounter,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Counts one request against a budget. */
  async spend(budget: Budget): Promise<Allowance> {
    const now = this.clock.now();
    const minute = minuteOf(now);
    const counted = await this.redis.increment(budget.id, minute);
    return allowanceOf(budget, this.#local.increment(budget.id, minute, counted), now);
  }
}
