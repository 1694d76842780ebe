import { Injectable } from '@nestjs/common';
import { compile, type Fault, problemsOfEveryRoute, type Route } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Problem,
} from '@pinkas/service-kit';
import { hashKey, looksLikeKey } from '../api-key/api-key.js';
import { findKeyHolder, type KeyHolder } from '../api-key/api-key.repository.js';
import type { GatewayTables } from '../business/business.tables.js';
import type { GatewayConfig } from '../config.js';
import { addressBudget, type Budget, keyBudget } from '../rate-limit/budget.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { requireAllowed } from './business-state.js';
import { presentedKey } from './credentials.js';
import { beforeDeadline } from './deadline.js';
import { errorBody } from './error-body.js';
import type { Call, HandlesCalls, Reply, RouteBinding } from './http-route.js';
import { idempotencyKeyMax, readIdempotencyKey } from './idempotency-key.js';
import { headerOf, type Incoming, type LoggedCall, type Outgoing } from './incoming.js';
import { readJsonObject } from './json-body.js';
import { queryFaults } from './query-faults.js';
import { readBody } from './read-body.js';
import { retryAfterSeconds } from './retry-after.js';

/** Beyond so many calls at once the process refuses instead of keeping bodies of 256 KB in memory without end. */
const inHandMax = 1_000;

/** A body of rubbish must not make a long answer. */
const faultsMax = 50;

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

/** Takes a call of the interface through every check, in the order that the interface fixes, to its operation. */
@Injectable()
export class CallPipeline {
  #inHand = 0;

  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectConfig() private readonly config: GatewayConfig,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly limiter: RateLimiter,
  ) {}

  /** Ties an operation to its route. */
  mount(binding: RouteBinding, operation: HandlesCalls): MountedRoute {
    const { route } = binding;
    const faultsOf = bodyFaultsOf(binding);
    return {
      route,
      answer: (incoming) =>
        this.#answer(incoming, async (draft) => {
          const caller = await this.#identify(incoming, draft);
          requireAllowed(caller, route, this.config.paymentUrl);
          const reply = await this.#admit(async () => {
            const call = {
              caller,
              params: incoming.params,
              ...(await this.#read(incoming, route, faultsOf)),
            };
            return this.#handle(operation, call, route);
          });
          return { status: route.successStatus, ...reply };
        }),
    };
  }

  /** Answers a request for something that does not exist, whether or not a key came with it. */
  answerUnknown(incoming: Incoming): Promise<Outgoing> {
    return this.#answer(incoming, async (draft) => {
      await this.#spend(addressBudget(incoming.address), draft);
      throw new Problem('not_found');
    });
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
      const problem = error instanceof Problem ? error : new Problem('internal_error', { cause: error });
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
    const holder = await this.#find(presentedKey(incoming));
    if (holder) {
      draft.logged.business_id = holder.business.id;
      draft.logged.key_id = holder.key.id;
    }
    if (!holder || holder.key.revoked_at !== null) {
      await this.#spend(addressBudget(incoming.address), draft);
      throw new Problem(holder ? 'key_revoked' : 'unauthorized');
    }
    await this.#spend(keyBudget(holder.key), draft);
    return holder;
  }

  async #find(key: string): Promise<KeyHolder | undefined> {
    if (!looksLikeKey(key)) return undefined;
    return findKeyHolder(this.db, hashKey(this.config.apiKeyPepper, key));
  }

  async #spend(budget: Budget, draft: Draft): Promise<void> {
    if (!(await this.#count(budget, draft))) throw new Problem('rate_limited');
  }

  async #count(budget: Budget, draft: Draft): Promise<boolean> {
    const allowance = await this.limiter.spend(budget);
    draft.windowSeconds = allowance.resetSeconds;
    draft.headers['ratelimit-limit'] = String(allowance.limit);
    draft.headers['ratelimit-remaining'] = String(allowance.remaining);
    draft.headers['ratelimit-reset'] = String(allowance.resetSeconds);
    return allowance.allowed;
  }

  /** The body and the headers that belong to it. */
  async #read(
    incoming: Incoming,
    route: Route,
    bodyFaults: (body: unknown) => Fault[],
  ): Promise<Pick<Call, 'body' | 'idempotencyKey'>> {
    const faults = queryFaults(incoming.query);
    let body: unknown;
    let idempotencyKey = '';
    if (route.body !== null) {
      const bytes = await readBody(incoming.stream, headerOf(incoming, 'content-length'));
      if (route.issues) {
        idempotencyKey = readIdempotencyKey(headerOf(incoming, 'idempotency-key'));
        if (idempotencyKey === '') throw new Problem('missing_idempotency_key');
        if ([...idempotencyKey].length > idempotencyKeyMax) {
          faults.push({
            path: '/headers/Idempotency-Key',
            message: `must not have more than ${idempotencyKeyMax} characters`,
          });
        }
      }
      body = readJsonObject(bytes, headerOf(incoming, 'content-type'));
      faults.push(...bodyFaults(body));
    }
    if (faults.length > 0) throw Problem.invalid(faults.slice(0, faultsMax));
    return { body, idempotencyKey };
  }

  async #admit<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inHand >= inHandMax) {
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
  async #handle(operation: HandlesCalls, call: Call, route: Route): Promise<Reply> {
    try {
      return await operation.handle(call);
    } catch (error) {
      const named: readonly string[] = [...route.problems, ...problemsOfEveryRoute];
      if (error instanceof Problem && !named.includes(error.code)) {
        throw new Error(`${route.method} ${route.path} does not answer ${error.code}`, { cause: error });
      }
      throw error;
    }
  }
}

/** One check for the schema and for what it cannot say: every fault together, each member named once. */
function bodyFaultsOf({ route, bodyFaults }: RouteBinding): (body: unknown) => Fault[] {
  if (route.body === null) return () => [];
  const check = compile(route.body);
  return (body) => {
    const checked = check(body);
    const faults = checked.ok ? [] : checked.faults;
    const named = new Set(faults.map((fault) => fault.path));
    return [...faults, ...bodyFaults(body).filter((fault) => !named.has(fault.path))];
  };
}
