import { Injectable } from '@nestjs/common';
import type { ErrorCode } from '@pinkas/contracts';
import { type Clock, InjectClock, InjectLogger, type Logger, Problem, problemOf } from '@pinkas/service-kit';
import { failurePage } from '../page/failure-page.js';
import { htmlHeaders } from '../page/page-headers.js';
import { addressBudget } from '../rate-limit/budget.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { beforeDeadline } from './deadline.js';
import type { HandlesVisits } from './http-page.js';
import { headerOf, type Incoming, type Outgoing } from './incoming.js';
import { retryAfterSeconds } from './retry-after.js';

const expectedCodes: readonly ErrorCode[] = ['not_found', 'rate_limited', 'engine_error'];

/** Answers those who come without a key, each within the budget of its address. */
@Injectable()
export class PagePipeline {
  constructor(
    private readonly limiter: RateLimiter,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /** Never throws: a refusal is a page as well. */
  async answer(incoming: Incoming, page: HandlesVisits): Promise<Outgoing> {
    let windowSeconds = 60;
    try {
      const allowance = await this.limiter.spend(addressBudget(incoming.address));
      windowSeconds = allowance.resetSeconds;
      if (!allowance.allowed) throw new Problem('rate_limited');
      const visit = {
        params: incoming.params,
        query: incoming.query,
        ifNoneMatch: headerOf(incoming, 'if-none-match'),
        acceptsGzip: /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headerOf(incoming, 'accept-encoding')),
      };
      return { ...(await beforeDeadline(page.handle(visit))), logged: {} };
    } catch (error) {
      const told = problemOf(error);
      const problem = expectedCodes.includes(told.code)
        ? told
        : new Problem('internal_error', { cause: error });
      if (problem.code === 'internal_error') this.logger.error({ err: error }, 'a page failed');
      else if (problem.cause !== undefined) {
        this.logger.warn({ err: problem.cause, code: problem.code }, 'a page was refused');
      }
      const retryAfter = retryAfterSeconds(problem, this.clock.now(), windowSeconds);
      const body = failurePage(problem, incoming.requestId);
      const headers = htmlHeaders(body);
      return {
        status: problem.status,
        headers: retryAfter === undefined ? headers : { ...headers, 'retry-after': String(retryAfter) },
        body,
        logged: { code: problem.code },
      };
    }
  }
}
