import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModulesContainer } from '@nestjs/core';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
  type RouteOptions,
} from 'fastify';
import type { BackgroundTask } from '../process/background-task.js';
import type { ConfigOf, httpServerFields } from '../process/config.js';
import { newContext } from '../process/context.js';
import { type Logger, logBindings } from '../process/logger.js';
import { markFailed, SpanKind } from '../tracing/spans.js';
import type { IncomingTraceHeaders } from '../tracing/trace-headers.js';
import type { Tracing } from '../tracing/tracing.js';
import { forClient } from './for-client.js';
import { type HttpMetrics, methodLabel } from './http-metrics.js';
import type { HttpReply, Refusal } from './http-reply.js';
import { transportHeaders } from './page-headers.js';
import { RawRequests } from './raw-requests.js';
import { UntrustedProxies } from './untrusted-proxies.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** When its head had arrived, by `performance.now()`; 0 where Fastify rejects it before its hooks. */
    arrivedMs: number;
  }
}

/** What a front needs of its service. */
interface FrontParts {
  readonly modules: ModulesContainer;
  readonly metrics: HttpMetrics;
  readonly tracing: Tracing;
  readonly logger: Logger;
  readonly config: ConfigOf<typeof httpServerFields>;
  /** The public address: HTTPS there is stated in every response. */
  readonly publicAddress: string;
  /** The id of a request, of which the caller may have given one; a new one where it is absent. */
  readonly requestIdOf?: (request: Pick<IncomingMessage, 'rawHeaders'>) => string;
  /** Whether Node rejects a request without a Host; otherwise it is answered as others are. */
  readonly requireHostHeader: boolean;
  readonly options: Pick<FastifyServerOptions, 'bodyLimit' | 'exposeHeadRoutes' | 'routerOptions'>;
}

/** A route, and what replies to its requests. */
interface Served extends Omit<RouteOptions, 'handler'> {
  readonly timeoutMs: number;
  readonly respond: (request: FastifyRequest) => Promise<HttpReply>;
}

/** Longer than the idle time of the usual load balancer (60 s), so that it never writes to a connection we just closed. */
const keepAliveMs = 65_000;

/**
 * The HTTP server of a service that the public reaches: bounds of time and size, ids, spans, metrics and a log line of each request,
 * and the drain before the process ends. A service extends it with its routes, and with its replies where no route is reached.
 */
export abstract class HttpFront implements BackgroundTask {
  #server: FastifyInstance | undefined;
  #raw: RawRequests | undefined;
  #draining = false;

  protected constructor(private readonly parts: FrontParts) {}

  /** Mounts the routes. */
  protected abstract mount(server: FastifyInstance): void | Promise<void>;

  /** Replies in place of a handler. The hooks did not run where the path cannot be decoded. */
  protected abstract refuse(request: FastifyRequest, refusal: Refusal): Promise<HttpReply>;

  /** Where it listens, for example `http://127.0.0.1:8080`. */
  get origin(): string {
    const listening = this.#server?.server.address() as AddressInfo | null | undefined;
    if (!listening) {
      throw new Error('http server does not listen');
    }
    const { address, port } = listening;
    return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  }

  async start(): Promise<void> {
    const { config, logger } = this.parts;
    const server = this.#createServer();
    this.#server = server;
    await this.mount(server);
    await server.listen({ host: config.httpHost, port: config.httpPort });
    logger.info({ origin: this.origin }, 'http server listening');
  }

  /**
   * Closes the server once its requests are answered. It listens for the shutdown delay first, since load balancers learn only now
   * to send requests elsewhere; every response of that time closes its connection.
   */
  async stop(): Promise<void> {
    this.#draining = true;
    if (!this.#server) {
      return;
    }
    const { shutdownDelayMs } = this.parts.config;
    if (shutdownDelayMs > 0) {
      await new Promise((resolve) => setTimeout(resolve, shutdownDelayMs));
    }
    const { server } = this.#server;
    const cut = setTimeout(() => server.closeAllConnections(), timeLimitsMs.closeHttpServer);
    await this.#server.close();
    clearTimeout(cut);
  }

  /** The providers of the modules that a decorator has bound, with what they are bound to. */
  protected *bound<Binding>(
    bindingOf: (target: object) => Binding | undefined,
  ): Generator<{ readonly binding: Binding; readonly handler: object }> {
    for (const module of this.parts.modules.values()) {
      for (const { instance } of module.providers.values()) {
        const handler: unknown = instance;
        const binding = typeof handler === 'object' && handler !== null && bindingOf(handler.constructor);
        if (binding) {
          yield { binding, handler };
        }
      }
    }
  }

  /** Serves a route. @param served.timeoutMs until the deadline of the calls that it makes. */
  protected serve({ timeoutMs, respond, ...route }: Served): void {
    this.#server?.route({
      ...route,
      handler: (request, reply) => this.send(request, reply, timeoutMs, () => respond(request)),
    });
  }

  /**
   * Sends the reply to a request, which is made within a deadline and a span. The metrics and the log line follow at its end.
   * @param timeoutMs until the deadline of the calls that it makes.
   */
  protected async send(
    request: FastifyRequest,
    reply: FastifyReply,
    timeoutMs: number,
    respond: () => Promise<HttpReply>,
  ): Promise<FastifyReply> {
    const startedMs = request.arrivedMs || performance.now();
    const { method, id: requestId } = request;
    const route = request.routeOptions.url;
    const { sent, ids } = await this.#trace(request, timeoutMs, respond);
    if (reply.sent) {
      return reply;
    }
    reply.raw.once('close', () => {
      this.parts.metrics.completed({ method, route }, sent.status, startedMs);
      this.parts.logger.info(
        {
          ...ids,
          request_id: requestId,
          method,
          route: route ?? null,
          status: sent.status,
          ...(reply.raw.writableFinished ? {} : { aborted: true }),
          ms: Math.round(performance.now() - startedMs),
          ...sent.logFields,
        },
        'request handled',
      );
    });
    reply.headers(transportHeaders(this.parts.publicAddress)).header('x-request-id', requestId);
    if (this.#draining) {
      reply.header('connection', 'close');
    }
    return reply.code(sent.status).headers(sent.headers).send(sent.body);
  }

  /** Replies within a span; also returns the ids for the log line, which is written after the span has ended. */
  #trace(
    request: FastifyRequest,
    timeoutMs: number,
    respond: () => Promise<HttpReply>,
  ): Promise<{ sent: HttpReply; ids: object }> {
    const method = methodLabel(request.method);
    const route = request.routeOptions.url;
    const options = {
      kind: SpanKind.SERVER,
      isRoot: true,
      attributes: {
        'http.request.method': method,
        ...(route === undefined ? {} : { 'http.route': route }),
        'pinkas.request.id': request.id,
      },
    };
    const context = newContext(timeoutMs, request.id);
    const name = `${method} ${route ?? 'unknown'}`;
    return this.parts.tracing.startEntrySpan(
      context,
      traceHeadersOf(request),
      name,
      options,
      async (span) => {
        const sent = await forClient(request, await respond());
        span.setAttribute('http.response.status_code', sent.status);
        const code = sent.logFields?.code;
        if (code) {
          markFailed(span, code, sent.status >= 500);
        }
        return { sent, ids: logBindings() };
      },
    );
  }

  #createServer(): FastifyInstance {
    const { config, options, requireHostHeader, requestIdOf = () => randomUUID(), logger } = this.parts;
    const proxies = config.trustedProxies;
    const server = fastify({
      ...options,
      logger: false,
      trustProxy: proxies === '' ? false : proxies.split(',').map((proxy) => proxy.trim()),
      requestIdHeader: false,
      genReqId: requestIdOf,
      // A request on an open connection is still served while the process drains.
      return503OnClosing: false,
      connectionTimeout: timeLimitsMs.idleConnection,
      // Slow senders hold no connection.
      requestTimeout: timeLimitsMs.receiveRequest,
      keepAliveTimeout: keepAliveMs,
      http: {
        headersTimeout: timeLimitsMs.receiveHeaders,
        connectionsCheckingInterval: 1_000,
        requireHostHeader,
      },
      // Nothing handles its error here, and one that is not handled ends the process.
      frameworkErrors: (_error, request, reply) =>
        void this.#refuse(request, reply, { status: 404 }).catch(() => reply.raw.destroy()),
      clientErrorHandler: (error, socket) => this.#raw?.rejectMalformed(error, socket),
    });
    this.#raw = new RawRequests(server.routing);
    this.#raw.attach(server.server);
    const untrusted = new UntrustedProxies(logger);
    server.decorateRequest('arrivedMs', 0);
    server.addHook('onRequest', (request, _reply, done) => {
      request.arrivedMs = performance.now();
      untrusted.check(request);
      done();
    });
    server.setNotFoundHandler((request, reply) => this.#refuse(request, reply, { status: 404 }));
    server.setErrorHandler((error: FastifyError, request, reply) =>
      this.#refuse(request, reply, { status: error.statusCode ?? 500, error }),
    );
    return server;
  }

  #refuse(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): Promise<FastifyReply> {
    const ofRaw = this.#raw?.refusalOf(request.raw);
    if (ofRaw) {
      reply.header('connection', 'close');
      this.parts.logger.info({ request_id: request.id, reason: ofRaw.reason }, 'malformed request rejected');
    }
    return this.send(request, reply, timeLimitsMs.request, () => this.refuse(request, ofRaw ?? refusal));
  }
}

function traceHeadersOf({ headers }: FastifyRequest): IncomingTraceHeaders {
  const single = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined);
  return { traceparent: single(headers.traceparent), tracestate: single(headers.tracestate) };
}
