import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { timeLimitsMs } from '@pinkas/contracts';
import { InjectConfig, InjectLogger, type Logger, Tracing } from '@pinkas/service-kit';
import { HttpFront, HttpMetrics, type HttpReply, type Refusal } from '@pinkas/service-kit/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { type AnyPageHandler, pageBindingOf, type UploadPageHandler } from './http-page.js';
import { type RouteHandler, routeBindingOf } from './http-route.js';
import { requestIdOf } from './request-headers.js';
import { RequestPipeline } from './request-pipeline.js';

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
      const { method, path, timeoutMs } = binding.route;
      const respond = this.pipeline.route(binding, handler as RouteHandler);
      // HEAD is answered as GET is: Node leaves out the body.
      const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
      this.serve({ method: methods, url: `${pathOf(this.config.baseUrl)}${path}`, timeoutMs, respond });
    }
    for (const { binding, handler } of this.bound(pageBindingOf)) {
      const path = `${pathOf(binding.address(this.config))}${binding.path}`;
      // People also type a slash at the end.
      for (const url of new Set([path || '/', `${path}/`])) {
        const respond = this.pipeline.page(handler as AnyPageHandler);
        this.serve({ method: ['GET', 'HEAD'], url, timeoutMs: timeLimitsMs.request, respond });
        if (binding.upload) {
          const receive = this.pipeline.upload(handler as UploadPageHandler);
          this.serve({ method: 'POST', url, timeoutMs: timeLimitsMs.receiveRequest, respond: receive });
        }
      }
    }
  }

  protected override refuse(request: FastifyRequest, refusal: Refusal): Promise<HttpReply> {
    return this.pipeline.refuse(request, refusal);
  }
}

/**
 * Leaves bodies to the pipeline, which reads and checks them at their place in the order of checks. The Content-Type header is
 * hidden from Fastify, which would reject a malformed one before that.
 */
function takeBodiesFromFastify(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  server.addHook('onRequest', (request, _reply, done) => {
    delete request.headers['content-type'];
    done();
  });
}

/** The path of a public address, without a slash at its end. */
function pathOf(address: string): string {
  return new URL(address).pathname.replace(/\/+$/, '');
}
