import { Injectable } from '@nestjs/common';
import { errorsOfEveryRoute, errorsOfPublicRoutes, type Route, sentence } from '@pinkas/contracts';
import {
  ApiError,
  type Clock,
  currentContext,
  InjectClock,
  InjectConfig,
  InjectLogger,
  type Logger,
  remainingMs,
  setLogContext,
} from '@pinkas/service-kit';
import { type ConcurrencyLimiter, withTimeout } from '@pinkas/service-kit/concurrency';
import { HttpMetrics, type HttpReply, type Refusal } from '@pinkas/service-kit/http';
import type { FastifyRequest } from 'fastify';
import type { AccessCheck, Principal } from '../api-key/api-key.repository.js';
import { KeyAuthenticator } from '../api-key/key-authenticator.js';
import { KeyUseRecorder } from '../api-key/key-use-recorder.js';
import type { GatewayConfig } from '../config.js';
import { RequestRecorder } from '../request-log/request-recorder.js';
import { authorize, checkAccess } from './authorize.js';
import type {
  AnyPageHandler,
  DocumentPageHandler,
  PageReply,
  PageRequest,
  UploadPageHandler,
} from './http-page.js';
import type { PublicRouteHandler, RouteBinding, RouteHandler, RouteReply } from './http-route.js';
import { jsonRenderer, type ResponseRenderer } from './json-renderer.js';
import { pageRenderer } from './page-renderer.js';
import {
  clientRateLimit,
  keyRateLimit,
  type RateLimit,
  RateLimiter,
  type RateLimitResult,
  retryAfterSeconds,
} from './rate-limiter.js';
import { queryOf } from './read-query.js';
import { idempotencyKeyOf, type RequestParts, type RequestReader, requestReader } from './read-request.js';
import { apiKeyOf, listHeaderOf } from './request-headers.js';
import { Uploads } from './uploads.js';

/** More requests in flight than this are rejected: each may hold a body of 256 KB in memory. */
const inFlightMax = 1_000;
/** The bound of a request without a deadline. */
const responseTimeoutMs = 60_000;

const malformed = {
  request: sentence(
    'must be an HTTP request that is complete and well-formed',
    'חייבת להיות בקשת HTTP שלמה ותקינה',
  ),
  header: sentence('must be one line with a valid value', 'חייב להופיע בשורה אחת עם ערך תקין'),
};

/** Produces the response of a request; never throws. */
type Respond = (request: FastifyRequest) => Promise<HttpReply>;

type StatusReply = RouteReply & { readonly status: number };

/** What is known of a response before it is complete. */
interface ResponseState {
  readonly request: FastifyRequest;
  /** What the log contains besides the route: ids and the error code, no personal data. */
  readonly logFields: { business_id?: string; key_id?: string; code?: string };
  /** Of a route of the API. */
  readonly route?: Route | undefined;
  readonly arrivedAt: Date;
  readonly startedMs: number;
  /** The caller behind the key, once it is known; the key may be revoked. */
  principal?: Principal;
  /** The JSON object of the body, once it is read. */
  body?: object;
  /** Set as soon as the request is counted. */
  rateLimit?: RateLimitResult;
}

/** A route with its compiled schemas and its handler. */
interface MountedRoute<Handler> {
  readonly route: Route;
  readonly read: RequestReader;
  readonly handler: Handler;
}

/** Takes a request through every check, in the order that the HTTP API fixes, to its handler. */
@Injectable()
export class RequestPipeline {
  readonly #limiter: ConcurrencyLimiter;
  readonly #uploads = new Uploads();
  readonly #json: ResponseRenderer<StatusReply>;

  constructor(
    @InjectConfig() private readonly config: GatewayConfig,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly authenticator: KeyAuthenticator,
    private readonly keyUses: KeyUseRecorder,
    private readonly recorder: RequestRecorder,
    private readonly rateLimiter: RateLimiter,
    metrics: HttpMetrics,
  ) {
    this.#limiter = metrics.limiter(inFlightMax);
    this.#json = jsonRenderer(config.docsUrl);
  }

  /** What responds to requests of a route. */
  route(binding: RouteBinding, handler: RouteHandler | PublicRouteHandler): Respond {
    const { route } = binding;
    const read = requestReader(binding);
    if (route.access === 'anyone') {
      const mounted = { route, read, handler: handler as PublicRouteHandler };
      return (request) =>
        this.#respond(request, this.#json, (state) => this.#callPublic(mounted, state), route);
    }
    const mounted = { route, read, handler: handler as RouteHandler };
    return (request) => this.#respond(request, this.#json, (state) => this.#call(mounted, state), route);
  }

  /** What responds to requests of a page. */
  page(handler: AnyPageHandler): Respond {
    return (request) => this.#respond(request, pageRenderer, (state) => this.#showPage(handler, state));
  }

  /** What responds to files that are sent to a page. */
  upload(handler: UploadPageHandler): Respond {
    return (request) =>
      this.#respond(request, pageRenderer, async (state) => {
        await this.#consumeClient(state, 'pages');
        await this.#consumeClient(state, 'uploads');
        return handler.receive(pageRequestOf(request), await this.#uploads.receive(request));
      });
  }

  /** Responds to what no handler does. */
  refuse(request: FastifyRequest, { status, error, malformedHeader }: Refusal): Promise<HttpReply> {
    return this.#respond(request, this.#json, async (state) => {
      if (error && status >= 500) {
        throw error;
      }
      // Fastify rejects only what is no route: for an uncommon method such as QUERY it requires a Content-Type.
      if (error || status === 404) {
        await this.#consumeKeyOrAddress(state);
        throw new ApiError('not_found');
      }
      await this.#consumeClient(state, 'address');
      throw ApiError.invalid([
        malformedHeader === undefined
          ? { path: '', ...malformed.request }
          : { path: `/headers/${malformedHeader}`, ...malformed.header },
      ]);
    });
  }

  async #call(mounted: MountedRoute<RouteHandler>, state: ResponseState): Promise<StatusReply> {
    const { route, handler } = mounted;
    const access = await this.#authenticate(state);
    const rateLimit = await this.#consume(rateLimitOf(access, state.request), state);
    const principal = checkAccess(access, rateLimit);
    this.keyUses.note(principal.key.id);
    authorize(principal, route, this.config.paymentUrl);
    return this.#limiter.run(async () => {
      const parts = await this.#read(mounted, principal, state);
      return declaredOnly(route, handler.handle({ principal, ...parts }));
    });
  }

  async #callPublic(
    { route, read, handler }: MountedRoute<PublicRouteHandler>,
    state: ResponseState,
  ): Promise<StatusReply> {
    await this.#consumeKeyOrAddress(state);
    const { params, query } = await read(state.request);
    return declaredOnly(route, handler.handle({ params, query }));
  }

  async #showPage(handler: AnyPageHandler, state: ResponseState): Promise<PageReply> {
    const request = pageRequestOf(state.request);
    if ('find' in handler) {
      return this.#showDocument(handler, request, state);
    }
    await this.#consumeClient(state, 'pages');
    return handler.handle(request);
  }

  async #showDocument<Found>(
    handler: DocumentPageHandler<Found>,
    request: PageRequest,
    state: ResponseState,
  ): Promise<PageReply> {
    await this.#consumeClient(state, 'lookups');
    const found = await handler.find(request).catch(async (error: unknown) => {
      await this.#consumeClient(state, 'pages');
      throw error;
    });
    await this.#consumeClient(state, 'documents');
    return handler.show(found, request);
  }

  /** Runs a request until its deadline. Never throws: an error becomes a response as well. */
  async #respond<Reply>(
    request: FastifyRequest,
    renderer: ResponseRenderer<Reply>,
    run: (state: ResponseState) => Promise<Reply>,
    route?: Route,
  ): Promise<HttpReply> {
    const [arrivedAt, startedMs] = [this.clock.now(), performance.now()];
    const state: ResponseState = { request, logFields: {}, route, arrivedAt, startedMs };
    let reply: HttpReply;
    let apiError: ApiError | undefined;
    try {
      const made = await withTimeout(run(state), remainingMs(responseTimeoutMs), failAtDeadline);
      reply = renderer.render(made, state.rateLimit);
    } catch (error) {
      apiError = renderer.toApiError(error);
      this.#logError(apiError);
      state.logFields.code = apiError.code;
      // A request that failed before it was counted still counts, but is not rejected for it.
      state.rateLimit ??= await this.rateLimiter.consume(clientRateLimit(request.ip));
      const rendered = renderer.renderError(apiError, request.id, state.rateLimit);
      const seconds = retryAfterSeconds(apiError, this.clock.now(), state.rateLimit.resetSeconds);
      const retryAfter = seconds === undefined ? {} : { 'retry-after': String(seconds) };
      reply = { ...rendered, headers: { ...rendered.headers, ...retryAfter } };
    }
    this.#record(state, reply, apiError);
    return { ...reply, logFields: state.logFields };
  }

  /** Finds the key of the request; checks nothing yet. */
  async #authenticate(state: ResponseState): Promise<AccessCheck> {
    const { request, logFields } = state;
    const access = await this.authenticator.authenticate(apiKeyOf(request.raw));
    const { principal } = access;
    if (principal) {
      state.principal = principal;
      logFields.business_id = principal.business.id;
      logFields.key_id = principal.key.id;
      setLogContext({ business_id: principal.business.id });
    }
    return access;
  }

  async #consume(limit: RateLimit, state: ResponseState): Promise<RateLimitResult> {
    state.rateLimit = await this.rateLimiter.consume(limit);
    return state.rateLimit;
  }

  /**
   * Counts a request that needs no key: for its key where it has a valid one, so that others behind its address do not pay for it.
   * @throws ApiError `rate_limited`.
   */
  async #consumeKeyOrAddress(state: ResponseState): Promise<void> {
    // What needs no key is answered while keys cannot be read.
    const access = await this.#authenticate(state).catch(() => ({ principal: undefined }));
    await this.#consumeOrReject(rateLimitOf(access, state.request), state);
  }

  /** Counts a request for its client. @throws ApiError `rate_limited`. */
  #consumeClient(state: ResponseState, use: Parameters<typeof clientRateLimit>[1]): Promise<void> {
    return this.#consumeOrReject(clientRateLimit(state.request.ip, use), state);
  }

  /** @throws ApiError `rate_limited`. */
  async #consumeOrReject(limit: RateLimit, state: ResponseState): Promise<void> {
    const { allowed } = await this.#consume(limit, state);
    if (!allowed) {
      throw new ApiError('rate_limited');
    }
  }

  async #read(
    { read, handler }: MountedRoute<RouteHandler>,
    principal: Principal,
    state: ResponseState,
  ): Promise<RequestParts> {
    const { request } = state;
    try {
      return await read(
        request,
        (query) => handler.queryErrors?.(query, principal) ?? [],
        (body) => {
          state.body = body;
        },
      );
    } catch (error) {
      if (isInvalidInput(error)) {
        await handler.requireFound?.({ principal, params: paramsOf(request) });
      }
      throw error;
    }
  }

  /** Takes a request with a known key for its log. */
  #record(state: ResponseState, answer: HttpReply, error: ApiError | undefined): void {
    const { request, route, principal, arrivedAt, startedMs, body } = state;
    if (!principal) {
      return;
    }
    this.recorder.note({
      businessId: principal.business.id,
      keyId: principal.key.id,
      requestId: request.id,
      arrivedAt,
      method: request.method,
      route: route?.path ?? null,
      status: answer.status,
      idempotencyKey: route?.idempotent ? idempotencyKeyOf(request) : null,
      replayed: answer.headers['idempotent-replayed'] === 'true',
      documentId: currentContext()?.logContext.document_id ?? null,
      durationMs: Math.round(performance.now() - startedMs),
      error,
      body,
    });
  }

  #logError(apiError: ApiError): void {
    if (apiError.code === 'internal_error') {
      this.logger.error({ err: apiError.cause }, 'request failed');
    } else if (apiError.cause !== undefined) {
      const event = apiError.status >= 500 ? 'request failed' : 'request rejected';
      this.logger.warn({ err: apiError.cause, code: apiError.code }, event);
    }
  }
}

const paramsOf = (request: FastifyRequest) => request.params as Readonly<Record<string, string>>;

function pageRequestOf(request: FastifyRequest): PageRequest {
  return {
    params: paramsOf(request),
    query: new URLSearchParams(queryOf(request.url)),
    ifNoneMatch: listHeaderOf(request.raw, 'if-none-match'),
  };
}

function failAtDeadline(): never {
  throw new ApiError('engine_error', { cause: new Error('request deadline exceeded') });
}

/** A valid key has its own rate limit; any other request counts for its address. */
function rateLimitOf({ principal }: Pick<AccessCheck, 'principal'>, request: FastifyRequest): RateLimit {
  return principal?.key.revoked_at === null ? keyRateLimit(principal.key) : clientRateLimit(request.ip);
}

/** Whether an error is about the content of the request, not about its caller or its size. */
function isInvalidInput(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'invalid_json' || error.code === 'validation_error');
}

/** The reply with the status of its route. An error that the route does not declare becomes an internal error. */
async function declaredOnly(route: Route, handled: Promise<RouteReply>): Promise<StatusReply> {
  try {
    return { status: route.successStatus, ...(await handled) };
  } catch (error) {
    const shared = route.access === 'anyone' ? errorsOfPublicRoutes : errorsOfEveryRoute;
    const declared: readonly string[] = [...route.errors, ...shared];
    if (!(error instanceof ApiError) || declared.includes(error.code)) {
      throw error;
    }
    // Not the error itself as the cause: its details are for a caller and must not be logged.
    throw new Error(`${route.method} ${route.path} does not declare ${error.code}`, { cause: error.cause });
  }
}
