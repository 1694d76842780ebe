import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { timeLimitsMs } from '@pinkas/contracts';
import { InjectConfig, InjectLogger, type Logger, Tracing } from '@pinkas/service-kit';
import {
  HttpFront,
  HttpMetrics,
  type HttpOrigin,
  type RawRejection,
  type RawReply,
} from '@pinkas/service-kit/http';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { apiKeyOf, type HttpRequest, requestIdOf } from './http-message.js';
import { type AnyPageHandler, type PageBinding, pageBindingOf, type UploadPageHandler } from './http-page.js';
import { type RouteBinding, type RouteHandler, routeBindingOf } from './http-route.js';
import { RequestPipeline } from './request-pipeline.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request as the pipeline sees it; null where Fastify rejects the request before its hooks run. */
    httpRequest: HttpRequest | null;
  }
}

/** Binds the routes and pages of the module to the front, and hands each request to the pipeline. */
@Injectable()
export class HttpServer extends HttpFront {
  constructor(
    modules: ModulesContainer,
    private readonly pipeline: RequestPipeline,
    metrics: HttpMetrics,
    tracing: Tracing,
    @InjectConfig() private readonly config: GatewayConfig,
    @InjectLogger() logger: Logger,
  ) {
    super({
      modules,
      metrics,
      tracing,
      logger,
      config,
      publicAddress: config.viewUrlBase,
      requestIdOf,
      // Node would reject a request without it, and not with an error object.
      requireHostHeader: false,
      options: { exposeHeadRoutes: false },
    });
  }

  protected override mount(server: FastifyInstance): void {
    takeBodiesFromFastify(server);
    for (const { binding, handler } of this.bound(routeBindingOf)) {
      this.#mountRoute(server, binding, handler as RouteHandler);
    }
    for (const { binding, handler } of this.bound(pageBindingOf)) {
      this.#mountPage(server, binding, handler as AnyPageHandler);
    }
  }

  protected override rejectUnknown(request: FastifyRequest): Promise<RawReply> {
    return this.pipeline.rejectUnknown(httpRequestOf(request));
  }

  protected override rejectFailed(request: FastifyRequest, error: FastifyError): Promise<RawReply> {
    // Fastify rejects only what is no route: for an uncommon method such as QUERY it requires a Content-Type.
    return (error.statusCode ?? 500) < 500
      ? this.rejectUnknown(request)
      : this.pipeline.rejectFailed(httpRequestOf(request), error);
  }

  protected override rejectRaw(reason: RawRejection, origin: HttpOrigin): Promise<RawReply> {
    const request = {
      ...origin,
      method: '',
      apiKey: '',
      rawHeaders: [],
      params: {},
      query: '',
      stream: Readable.from([]),
    };
    return reason === 'unknown'
      ? this.pipeline.rejectUnknown(request)
      : this.pipeline.rejectMalformed(request);
  }

  #mountRoute(server: FastifyInstance, binding: RouteBinding, handler: RouteHandler): void {
    const { route } = binding;
    const respond = this.pipeline.route(binding, handler);
    server.route({
      // HEAD is answered as GET is: Node leaves out the body.
      method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
      url: `${pathOf(this.config.baseUrl)}${route.path}`,
      handler: (request, reply) =>
        this.send(request, reply, route.timeoutMs, () => respond(httpRequestOf(request))),
    });
  }

  #mountPage(server: FastifyInstance, binding: PageBinding, handler: AnyPageHandler): void {
    const respond = this.pipeline.page(handler);
    const url = `${pathOf(binding.address(this.config))}${binding.path}`;
    // People also type a slash at the end.
    for (const path of new Set([url || '/', `${url}/`])) {
      server.route({
        method: ['GET', 'HEAD'],
        url: path,
        handler: (request, reply) =>
          this.send(request, reply, timeLimitsMs.request, () => respond(httpRequestOf(request))),
      });
      if (binding.upload) {
        const receive = this.pipeline.upload(handler as UploadPageHandler);
        server.route({
          method: 'POST',
          url: path,
          handler: (request, reply) =>
            this.send(request, reply, timeLimitsMs.receiveRequest, () => receive(httpRequestOf(request))),
        });
      }
    }
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

const httpRequestOf = (request: FastifyRequest): HttpRequest => request.httpRequest ?? toHttpRequest(request);

function toHttpRequest(request: FastifyRequest): HttpRequest {
  const queryStart = request.url.indexOf('?');
  return {
    requestId: request.id,
    method: request.method,
    address: request.ip,
    apiKey: apiKeyOf(request.raw),
    rawHeaders: request.raw.rawHeaders,
    params: request.params as Record<string, string>,
    query: queryStart === -1 ? '' : request.url.slice(queryStart + 1),
    stream: request.raw,
  };
}

/** The path of a public address, without a slash at its end. */
function pathOf(address: string): string {
  return new URL(address).pathname.replace(/\/+$/, '');
}
