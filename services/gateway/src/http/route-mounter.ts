import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { timeLimitsMs } from '@pinkas/contracts';
import {
  type IncomingTraceHeaders,
  InjectConfig,
  InjectLogger,
  type Logger,
  logBindings,
  markFailed,
  newContext,
  SpanKind,
  Tracing,
} from '@pinkas/service-kit';
import { HttpMetrics, methodLabel, transportHeaders, UntrustedProxies } from '@pinkas/service-kit/http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { apiKeyOf, type HttpRequest, type HttpResponse, type Respond } from './http-message.js';
import { type AnyPageHandler, pageBindingOf } from './http-page.js';
import { type RouteHandler, routeBindingOf } from './http-route.js';
import { RequestPipeline } from './request-pipeline.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request as the pipeline sees it; null where Fastify rejects the request before its hooks run. */
    httpRequest: HttpRequest | null;
  }
}

/** Binds Fastify to the routes and pages of the module, and writes the log line, the metrics and the span of each request. */
@Injectable()
export class RouteMounter {
  readonly #transportHeaders: Readonly<Record<string, string>>;
  #draining = false;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly pipeline: RequestPipeline,
    private readonly metrics: HttpMetrics,
    private readonly tracing: Tracing,
    @InjectConfig() private readonly config: GatewayConfig,
    @InjectLogger() private readonly logger: Logger,
  ) {
    this.#transportHeaders = transportHeaders(config.viewUrlBase);
  }

  /** Mounts every provider of the modules that is bound to a route or a page. */
  mount(server: FastifyInstance): void {
    const untrusted = new UntrustedProxies(this.logger);
    server.addHook('onRequest', (request, _reply, done) => {
      untrusted.check(request);
      done();
    });
    takeBodiesFromFastify(server);
    for (const module of this.modules.values()) {
      for (const { instance } of module.providers.values()) {
        if (typeof instance === 'object' && instance !== null) {
          this.#mountRoute(server, instance);
          this.#mountPage(server, instance);
        }
      }
    }
    server.setNotFoundHandler((request, reply) => this.rejectUnknown(request, reply));
    server.setErrorHandler((error: FastifyError, request, reply) => {
      // Fastify rejects only what is no route: for an uncommon method such as QUERY it requires a Content-Type.
      if ((error.statusCode ?? 500) < 500) {
        return this.rejectUnknown(request, reply);
      }
      return this.#send(request, reply, timeLimitsMs.request, (received) =>
        this.pipeline.rejectFailed(received, error),
      );
    });
  }

  /** From now on every response closes its connection. */
  drain(): void {
    this.#draining = true;
  }

  /** Responds to a request that has no route. */
  rejectUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#send(request, reply, timeLimitsMs.request, this.pipeline.rejectUnknown);
  }

  #mountRoute(server: FastifyInstance, instance: object): void {
    const binding = routeBindingOf(instance.constructor);
    if (!binding) {
      return;
    }
    const { route } = binding;
    const respond = this.pipeline.route(binding, instance as RouteHandler);
    server.route({
      method: route.method,
      url: `${pathOf(this.config.baseUrl)}${route.path}`,
      handler: (request, reply) => this.#send(request, reply, route.timeoutMs, respond),
    });
  }

  #mountPage(server: FastifyInstance, instance: object): void {
    const binding = pageBindingOf(instance.constructor);
    if (!binding) {
      return;
    }
    const respond = this.pipeline.page(instance as AnyPageHandler);
    const url = `${pathOf(binding.address(this.config))}${binding.path}`;
    // People also type a slash at the end.
    for (const path of new Set([url || '/', `${url}/`])) {
      server.route({
        method: ['GET', 'HEAD'],
        url: path,
        handler: (request, reply) => this.#send(request, reply, timeLimitsMs.request, respond),
      });
    }
  }

  async #send(
    request: FastifyRequest,
    reply: FastifyReply,
    timeoutMs: number,
    respond: Respond,
  ): Promise<FastifyReply> {
    const startedMs = performance.now();
    const { method } = request;
    const route = request.routeOptions.url;
    const { response, ids } = await this.#trace(request, timeoutMs, respond);
    reply.raw.once('close', () => {
      this.metrics.completed({ method, route }, response.status, startedMs);
      this.logger.info(
        {
          ...ids,
          request_id: request.id,
          method,
          route: route ?? null,
          status: response.status,
          ...(reply.raw.writableFinished ? {} : { aborted: true }),
          ms: Math.round(performance.now() - startedMs),
          ...response.logFields,
        },
        'request handled',
      );
    });
    if (this.#draining) {
      reply.header('connection', 'close');
    }
    return reply
      .code(response.status)
      .headers(response.headers)
      .headers(this.#transportHeaders)
      .header('x-request-id', request.id)
      .send(response.body);
  }

  /** Responds within a span; also returns the ids for the log line, which is written after the span has ended. */
  #trace(
    request: FastifyRequest,
    timeoutMs: number,
    respond: Respond,
  ): Promise<{ response: HttpResponse; ids: object }> {
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
    return this.tracing.startEntrySpan(context, traceHeadersOf(request), name, options, async (span) => {
      const response = await respond(request.httpRequest ?? toHttpRequest(request));
      span.setAttribute('http.response.status_code', response.status);
      const { code } = response.logFields;
      if (code) {
        markFailed(span, code, response.status >= 500);
      }
      return { response, ids: logBindings() };
    });
  }
}

/**
 * Leaves bodies to the pipeline, which reads and checks them at their place in the order of checks. The Content-Type header is
 * hidden from Fastify, which would reject a malformed one before that.
 */
function takeBodiesFromFastify(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  server.decorateRequest('httpRequest', null);
  server.addHook('onRequest', (request, _reply, done) => {
    request.httpRequest = toHttpRequest(request);
    delete request.headers['content-type'];
    done();
  });
}

function toHttpRequest(request: FastifyRequest): HttpRequest {
  const queryStart = request.url.indexOf('?');
  return {
    requestId: request.id,
    address: request.ip,
    apiKey: apiKeyOf(request.raw),
    headers: { ...request.headers },
    params: request.params as Record<string, string>,
    query: queryStart === -1 ? '' : request.url.slice(queryStart + 1),
    stream: request.raw,
  };
}

function traceHeadersOf({ headers }: FastifyRequest): IncomingTraceHeaders {
  const single = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined);
  return { traceparent: single(headers.traceparent), tracestate: single(headers.tracestate) };
}

/** The path of a public address, without a slash at its end. */
function pathOf(address: string): string {
  return new URL(address).pathname.replace(/\/+$/, '');
}
