import { Injectable } from '@nestjs/common';
import { type BackgroundTask, InjectConfig, InjectLogger, type Logger } from '@pinkas/service-kit';
import { drainServer, originOf, publicServerOptions } from '@pinkas/service-kit/http';
import { type FastifyInstance, fastify } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { requestIdOf } from './http-message.js';
import { RawSocketResponses } from './raw-socket-responses.js';
import { RouteMounter } from './route-mounter.js';

/** Listens for HTTP requests, and drains before the process ends. */
@Injectable()
export class HttpServer implements BackgroundTask {
  #server: FastifyInstance | undefined;

  constructor(
    private readonly routes: RouteMounter,
    private readonly raw: RawSocketResponses,
    @InjectConfig() private readonly config: GatewayConfig,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /** Where it listens, for example `http://127.0.0.1:8080`. */
  get origin(): string {
    return originOf(this.#server?.server);
  }

  async start(): Promise<void> {
    const server = this.#createServer();
    this.routes.mount(server);
    this.raw.attach(server.server);
    this.#server = server;
    await server.listen({ host: this.config.httpHost, port: this.config.httpPort });
    this.logger.info({ origin: this.origin }, 'http server listening');
  }

  /**
   * Drains. It listens for the shutdown delay first, since load balancers learn only now to send requests elsewhere; every
   * response of that time closes its connection.
   */
  async stop(): Promise<void> {
    this.routes.drain();
    if (this.#server) {
      await drainServer(this.#server, this.config.shutdownDelayMs);
    }
  }

  #createServer(): FastifyInstance {
    const options = publicServerOptions(this.config.trustedProxies);
    return fastify({
      ...options,
      genReqId: (request) => requestIdOf(request.headers),
      exposeHeadRoutes: false,
      // Node would reject a request without it, and not with an error object.
      http: { ...options.http, requireHostHeader: false },
      frameworkErrors: (_error, request, reply) => void this.routes.rejectUnknown(request, reply),
      clientErrorHandler: (error, socket) => this.raw.rejectMalformed(error, socket),
    });
  }
}
