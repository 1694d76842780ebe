import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { isUuid } from '@pinkas/contracts';
import {
  type Background,
  type CallContext,
  InjectConfig,
  InjectLogger,
  idsInHand,
  type Logger,
  markFailed,
  newContext,
  type SaidTrace,
  SpanKind,
  Tracing,
  withContext,
} from '@pinkas/service-kit';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import type { GatewayConfig } from '../config.js';
import { CallPipeline } from './call-pipeline.js';
import { HttpMetrics, methodLabel } from './http-metrics.js';
import { type HandlesVisits, pagePlaceOf } from './http-page.js';
import { type HandlesCalls, routeBindingOf } from './http-route.js';
import type { Incoming, Outgoing } from './incoming.js';
import { PagePipeline } from './page-pipeline.js';

/** How long a caller is kept waiting at the most: issuing renders a PDF and waits for outcomes, reading does neither. */
const deadlineMs = { GET: 5_000, POST: 30_000 } as const;
/** The whole of a request must have arrived by then; its headers sooner. Slow senders hold no connection. */
const requestTimeoutMs = 40_000;
const headersTimeoutMs = 10_000;
/** A connection on which nothing moves; longer than any answer takes. */
const idleSocketMs = 40_000;
/** Longer than the idle time of the usual load balancer (60 s), so that it never writes to a connection we just closed. */
const keepAliveMs = 65_000;
/** When it listens no more, requests in hand have their own deadline; what is still open after that is cut. */
const drainMs = 32_000;

type Answer = (incoming: Incoming) => Promise<Outgoing>;

/** Fastify with the routes of the interface and the pages, each bound to its class. Knows HTTP and nothing of the rules. */
@Injectable()
export class HttpServer implements Background {
  #server: FastifyInstance | undefined;
  #draining = false;
  readonly #refused = new WeakSet<Socket>();

  constructor(
    private readonly modules: ModulesContainer,
    private readonly calls: CallPipeline,
    private readonly pages: PagePipeline,
    private readonly metrics: HttpMetrics,
    private readonly tracing: Tracing,
    @InjectConfig() private readonly config: GatewayConfig,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /** Where it listens, for example `http://127.0.0.1:8080`. */
  get origin(): string {
    const listening = this.#server?.server.address() as AddressInfo | null | undefined;
    if (!listening) throw new Error('the interface does not listen');
    const { address, port } = listening;
    return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  }

  async start(): Promise<void> {
    const { trustedProxies } = this.config;
    const server = fastify({
      logger: false,
      trustProxy: trustedProxies === '' ? false : trustedProxies.split(',').map((one) => one.trim()),
      genReqId: requestIdOf,
      requestIdHeader: false,
      exposeHeadRoutes: false,
      // A request on an open connection is still served while the process drains.
      return503OnClosing: false,
      connectionTimeout: idleSocketMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      http: {
        headersTimeout: headersTimeoutMs,
        connectionsCheckingInterval: 1_000,
        // Node would refuse a request without it by itself, and not in the words of the interface.
        requireHostHeader: false,
      },
      frameworkErrors: (_error, request, reply) => void this.#respond(request, reply, this.#unknown),
      clientErrorHandler: (error, socket) => this.#refuseBytes(error, socket),
    });
    // The pipeline reads and judges bodies itself, at their place in the order of checks; Fastify would refuse a malformed
    // Content-Type before.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, _payload, done) => done(null));
    server.decorateRequest('contentType', '');
    server.addHook('onRequest', (request, _reply, done) => {
      request.contentType = request.headers['content-type'] ?? '';
      delete request.headers['content-type'];
      done();
    });

    this.#mount(server);
    server.setNotFoundHandler((request, reply) => this.#respond(request, reply, this.#unknown));
    // What Fastify refuses by itself is no route of ours: of a method that few know (QUERY), say, it wants a Content-Type.
    server.setErrorHandler((error: FastifyError, request, reply) => {
      const isRefusal = (error.statusCode ?? 500) < 500;
      const failed: Answer = (incoming) => this.calls.answerFailed(incoming, error);
      return this.#respond(request, reply, isRefusal ? this.#unknown : failed);
    });
    // What a caller expects beside '100-continue' changes nothing; Node would refuse by itself.
    server.server.on('checkExpectation', (request, response) =>
      server.server.emit('request', request, response),
    );
    // There is nothing to tunnel to; Node would close without a word.
    server.server.on('connect', (request: IncomingMessage, socket: Socket) => {
      socket.on('error', () => socket.destroy());
      void this.#answerAndClose(socket, requestIdOf(request), this.#unknown);
    });
    this.#server = server;
    await server.listen({ host: this.config.httpHost, port: this.config.httpPort });
    this.logger.info({ origin: this.origin }, 'the interface listens');
  }

  /**
   * Answers what has arrived, and closes. At first it still listens: a load balancer learns only now that it has to look
   * elsewhere, and a connection that is closed while a request is on its way to it fails that request. So every answer of
   * that time says that its connection ends with it, and what is closed afterwards is what nobody has used meanwhile.
   */
  async stop(): Promise<void> {
    this.#draining = true;
    const server = this.#server;
    if (!server) return;
    const { lingerMs } = this.config;
    if (lingerMs > 0) await new Promise((resolve) => setTimeout(resolve, lingerMs));
    const cut = setTimeout(() => server.server.closeAllConnections(), drainMs);
    await server.close();
    clearTimeout(cut);
  }

  /** Binds every class that the modules provide and that names a route or a page. */
  #mount(server: FastifyInstance): void {
    const basePath = pathOf(this.config.baseUrl);
    for (const module of this.modules.values()) {
      for (const { instance } of module.providers.values()) {
        if (typeof instance !== 'object' || instance === null) continue;
        const binding = routeBindingOf(instance.constructor);
        if (binding) {
          const { route, answer } = this.calls.mount(binding, instance as HandlesCalls);
          server.route({
            method: route.method,
            url: `${basePath}${route.path}`,
            handler: (request, reply) => this.#respond(request, reply, answer),
          });
        }
        const place = pagePlaceOf(instance.constructor);
        if (place) {
          const answer: Answer = (incoming) => this.pages.answer(incoming, instance as HandlesVisits);
          const url = `${pathOf(place.address(this.config))}${place.path}`;
          // People also type a slash at the end.
          for (const one of new Set([url || '/', `${url}/`])) {
            server.route({
              method: ['GET', 'HEAD'],
              url: one,
              handler: (request, reply) => this.#respond(request, reply, answer),
            });
          }
        }
      }
    }
  }

  readonly #unknown: Answer = (incoming) => this.calls.answerUnknown(incoming);

  async #respond(request: FastifyRequest, reply: FastifyReply, answer: Answer): Promise<FastifyReply> {
    const startedMs = performance.now();
    const waitMs = request.method === 'POST' ? deadlineMs.POST : deadlineMs.GET;
    const { method } = request;
    const route = request.routeOptions.url;
    const { outgoing, ids } = await this.#inTrace(request, newContext(waitMs, request.id), answer);
    reply.raw.once('close', () => {
      this.metrics.answered({ method, route }, outgoing.status, startedMs);
      this.logger.info(
        {
          ...ids,
          request_id: request.id,
          method,
          route: route ?? null,
          status: outgoing.status,
          ...(reply.raw.writableFinished ? {} : { gone: true }),
          ms: Math.round(performance.now() - startedMs),
          ...outgoing.logged,
        },
        'request',
      );
    });
    if (this.#draining) reply.header('connection', 'close');
    return reply
      .code(outgoing.status)
      .headers(outgoing.headers)
      .header('x-request-id', request.id)
      .send(outgoing.body);
  }

  /** Answers in a span of its own; @returns also the ids for the line in the log, which is written outside of the work. */
  #inTrace(
    request: FastifyRequest,
    context: CallContext,
    answer: Answer,
  ): Promise<{ outgoing: Outgoing; ids: object }> {
    const method = methodLabel(request.method);
    const route = request.routeOptions.url;
    const described = {
      kind: SpanKind.SERVER,
      begins: true,
      attributes: {
        'http.request.method': method,
        ...(route === undefined ? {} : { 'http.route': route }),
        'pinkas.request.id': request.id,
      },
    };
    const name = `${method} ${route ?? 'unknown'}`;
    return this.tracing.enter(context, saidTraceOf(request), name, described, async (span) => {
      const outgoing = await answer(incomingOf(request));
      span.setAttribute('http.response.status_code', outgoing.status);
      if (outgoing.logged.code) markFailed(span, outgoing.logged.code, outgoing.status >= 500);
      return { outgoing, ids: idsInHand() };
    });
  }

  /** Answers bytes that are no HTTP request, or that came too slowly, and closes. */
  #refuseBytes(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // What still arrives while the first refusal is on its way needs no second one.
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const requestId = randomUUID();
    this.logger.info({ request_id: requestId, reason: error.code }, 'a request was no HTTP');
    void this.#answerAndClose(socket, requestId, (incoming) => this.calls.answerUnreadable(incoming));
  }

  /** Answers over a connection that Node has let go of. */
  async #answerAndClose(socket: Socket, requestId: string, answer: Answer): Promise<void> {
    const startedMs = performance.now();
    const incoming: Incoming = {
      requestId,
      address: socket.remoteAddress ?? '',
      headers: {},
      params: {},
      query: '',
      stream: socket,
    };
    const outgoing = await withContext(newContext(deadlineMs.GET, requestId), () => answer(incoming));
    this.metrics.answered({ method: '', route: undefined }, outgoing.status, startedMs);
    const headers = {
      ...outgoing.headers,
      'content-length': Buffer.byteLength(outgoing.body),
      'x-request-id': requestId,
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(
      [`HTTP/1.1 ${outgoing.status} ${STATUS_CODES[outgoing.status]}`, ...lines, '', outgoing.body].join(
        '\r\n',
      ),
    );
  }
}

/** The caller's own request id where it is a UUID, else a new one. */
function requestIdOf(request: IncomingMessage): string {
  const own = request.headers['x-request-id'];
  return typeof own === 'string' && isUuid(own) ? own : randomUUID();
}

/** What the caller says of the trace that its request belongs to. */
function saidTraceOf({ headers: { traceparent, tracestate } }: FastifyRequest): SaidTrace {
  const one = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined);
  return { traceparent: one(traceparent), tracestate: one(tracestate) };
}

/** The path of a public address, without a slash at its end. */
function pathOf(address: string): string {
  return new URL(address).pathname.replace(/\/+$/, '');
}

function incomingOf(request: FastifyRequest): Incoming {
  const question = request.url.indexOf('?');
  return {
    requestId: request.id,
    address: request.ip,
    headers: { ...request.headers, 'content-type': request.contentType },
    params: request.params as Record<string, string>,
    query: question === -1 ? '' : request.url.slice(question + 1),
    stream: request.raw,
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The Content-Type header, kept from Fastify, which would judge it too early. */
    contentType: string;
  }
}
