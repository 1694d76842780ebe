import { Injectable } from '@nestjs/common';
import { problemsOfEveryRoute, problemsOfOpenRoutes, type Route } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  noteSubject,
  ofEveryBusiness,
  Problem,
  problemOf,
} from '@pinkas/service-kit';
import { hashKey, looksLikeKey } from '../api-key/api-key.js';
import { findEntrance, type KeyHolder } from '../api-key/api-key.repository.js';
import type { GatewayTables } from '../business/business.tables.js';
import type { GatewayConfig } from '../config.js';
import { type Allowance, addressBudget, type Budget, keyBudget } from '../rate-limit/budget.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { requireAllowed } from './business-state.js';
import { presentedKey } from './credentials.js';
import { beforeDeadline } from './deadline.js';
import { errorBody } from './error-body.js';
import { HttpMetrics } from './http-metrics.js';
import type { HandlesCalls, HandlesOpenCalls, Reply, RouteBinding } from './http-route.js';
import type { Incoming, LoggedCall, Outgoing } from './incoming.js';
import { callReader } from './read-call.js';
import { retryAfterSeconds } from './retry-after.js';

/** Beyond so many calls at once the process refuses instead of keeping bodies of 256 KB in memory without end. */
const inHandMax = 1_000;

/** What is known of an answer before it is complete. */
interface Draft {
  readonly headers: Record<string, string>;
  readonly logged: LoggedCall;
  windowSeconds: number;
}

/** A route that is ready to be called. */
export interface MountedRoute {
  readonly route: Route;
  answer(incoming: Incoming): Promise<Outgoing>;
}

/** Takes one request to its operation. */
type Take = (incoming: Incoming, draft: Draft) => Promise<Reply>;

/** Takes a call of the interface through every check, in the order that the interface fixes, to its operation. */
@Injectable()
export class CallPipeline {
  #inHand = 0;
  /** A key is found by what it is, before anybody knows whose it is. */
  readonly #keys: Database<GatewayTables>;

  constructor(
    @InjectDatabase() db: Database<GatewayTables>,
    @InjectConfig() private readonly config: GatewayConfig,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly limiter: RateLimiter,
    private readonly metrics: HttpMetrics,
  ) {
    metrics.inHand(() => this.#inHand);
    this.#keys = ofEveryBusiness(db);
  }

  /** Ties an operation to its route. */
  mount(binding: RouteBinding, operation: HandlesCalls | HandlesOpenCalls): MountedRoute {
    const { route } = binding;
    const take =
      route.access === 'anyone'
        ? this.#takeAnyone(binding, operation as HandlesOpenCalls)
        : this.#takeCaller(binding, operation as HandlesCalls);
    return {
      route,
      answer: (incoming) =>
        this.#answer(incoming, async (draft) => ({
          status: route.successStatus,
          ...(await take(incoming, draft)),
        })),
    };
  }

  #takeCaller(binding: RouteBinding, operation: HandlesCalls): Take {
    const { route } = binding;
    const read = callReader(binding);
    return async (incoming, draft) => {
      const caller = await this.#identify(incoming, draft);
      requireAllowed(caller, route, this.config.paymentUrl);
      return this.#admit(async () => {
        const sent = await read(incoming, (query) => operation.queryFaults?.(query, caller) ?? []).catch(
          async (error: unknown) => {
            if (isFault(error)) await operation.requireFound?.({ caller, params: incoming.params });
            throw error;
          },
        );
        return this.#handle(route, () => operation.handle({ caller, ...sent }));
      });
    };
  }

  #takeAnyone(binding: RouteBinding, operation: HandlesOpenCalls): Take {
    const read = callReader(binding);
    return async (incoming, draft) => {
      await this.#spend(addressBudget(incoming.address), draft);
      const { params, query } = await read(incoming);
      return this.#handle(binding.route, () => operation.handle({ params, query }));
    };
  }

  /** Answers a request for something that does not exist, whether or not a key came with it. */
  answerUnknown(incoming: Incoming): Promise<Outgoing> {
    return this.#answer(incoming, async (draft) => {
      await this.#spend(addressBudget(incoming.address), draft);
      throw new Problem('not_found');
    });
  }

  /** Answers bytes that are no HTTP request, or only half of one. */
  answerUnreadable(incoming: Incoming): Promise<Outgoing> {
    return this.#answer(incoming, async (draft) => {
      await this.#spend(addressBudget(incoming.address), draft);
      throw Problem.invalid([{ path: '', message: 'must be an HTTP request that is whole and well-formed' }]);
    });
  }

  /** Answers a request that failed before it reached its route. */
  answerFailed(incoming: Incoming, error: unknown): Promise<Outgoing> {
    return this.#answer(incoming, () => Promise.reject(error));
  }

  async #answer(
    incoming: Incoming,
    work: (draft: Draft) => Promise<{ status: number } & Reply>,
  ): Promise<Outgoing> {
    const draft: Draft = {
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
      logged: {},
      windowSeconds: 60,
    };
    try {
      const { status, headers, body } = await beforeDeadline(work(draft));
      return this.#outgoing(draft, status, { ...draft.headers, ...headers }, body);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === 'internal_error') this.logger.error({ err: problem.cause }, 'a call failed');
      else if (problem.cause !== undefined) {
        this.logger.warn({ err: problem.cause, code: problem.code }, 'a call was refused');
      }
      draft.logged.code = problem.code;
      // Whose request it was may remain unknown; an outage of ours is still counted, but refuses nobody.
      if (!('ratelimit-limit' in draft.headers)) await this.#count(addressBudget(incoming.address), draft);
      const retryAfter = retryAfterSeconds(problem, this.clock.now(), draft.windowSeconds);
      const headers =
        retryAfter === undefined ? draft.headers : { ...draft.headers, 'retry-after': String(retryAfter) };
      const body = errorBody(problem, incoming.requestId, this.config.docsUrl);
      return this.#outgoing(draft, problem.status, headers, body);
    }
  }

  #outgoing(draft: Draft, status: number, headers: Record<string, string>, body: unknown): Outgoing {
    return { status, headers, body: JSON.stringify(body), logged: draft.logged };
  }

  /** The key and its business, after the request was counted against its budget. */
  async #identify(incoming: Incoming, draft: Draft): Promise<KeyHolder> {
    const presented = presentedKey(incoming);
    const hash = looksLikeKey(presented) ? hashKey(this.config.apiKeyPepper, presented) : null;
    const { apiEnabled, holder } = await findEntrance(this.#keys, hash);
    const valid = holder?.key.revoked_at === null;
    if (holder) {
      draft.logged.business_id = holder.business.id;
      draft.logged.key_id = holder.key.id;
      noteSubject({ business_id: holder.business.id });
    }
    const { allowed } = await this.#count(
      valid ? keyBudget(holder.key) : addressBudget(incoming.address),
      draft,
    );
    if (!apiEnabled) throw new Problem('api_disabled');
    // An address that tries keys learns nothing any more once its own budget is spent.
    if (!allowed) throw new Problem('rate_limited');
    if (!valid) throw new Problem(holder ? 'key_revoked' : 'unauthorized');
    return holder;
  }

  async #spend(budget: Budget, draft: Draft): Promise<void> {
    const { allowed } = await this.#count(budget, draft);
    if (!allowed) throw new Problem('rate_limited');
  }

  async #count(budget: Budget, draft: Draft): Promise<Allowance> {
    const allowance = await this.limiter.spend(budget);
    draft.windowSeconds = allowance.resetSeconds;
    draft.headers['ratelimit-limit'] = String(allowance.limit);
    draft.headers['ratelimit-remaining'] = String(allowance.remaining);
    draft.headers['ratelimit-reset'] = String(allowance.resetSeconds);
    return allowance;
  }

  async #admit<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inHand >= inHandMax) {
      this.metrics.turnedAway();
      throw new Problem('engine_error', { cause: new Error('the process is full') });
    }
    this.#inHand += 1;
    try {
      return await work();
    } finally {
      this.#inHand -= 1;
    }
  }

  /** Runs the operation; a refusal that the route does not name is a fault of ours, not of the caller. */
  async #handle(route: Route, work: () => Promise<Reply>): Promise<Reply> {
    try {
      return await work();
    } catch (error) {
      const ofAccess = route.access === 'anyone' ? problemsOfOpenRoutes : problemsOfEveryRoute;
      const named: readonly string[] = [...route.problems, ...ofAccess];
      if (error instanceof Problem && !named.includes(error.code)) {
        // Not the problem itself: its details are for a caller, and no log.
        throw new Error(`${route.method} ${route.path} does not answer ${error.code}`, {
          cause: error.cause,
        });
      }
      throw error;
    }
  }
}

/** Whether a refusal speaks of what was sent, and not of who sent it or of how much. */
function isFault(error: unknown): boolean {
  return error instanceof Problem && (error.code === 'invalid_json' || error.code === 'validation_error');
}
