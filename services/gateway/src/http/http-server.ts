import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { timeLimitsMs } from '@pinkas/contracts';
import { type BackgroundTask, InjectConfig, InjectLogger, type Logger } from '@pinkas/service-kit';
import { type FastifyInstance, fastify } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { requestIdOf } from './http-message.js';
import { RawSocketResponses } from './raw-socket-responses.js';
import { RouteMounter } from './route-mounter.js';

/** Longer than the idle time of the usual load balancer (60 s), so that it never writes to a connection we just closed. */
const keepAliveMs = 65_000;

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
    const listening = this.#server?.server.address() as AddressInfo | null | undefined;
    if (!listening) {
      throw new Error('http server does not listen');
    }
    const { address, port } = listening;
    return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
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
    const server = this.#server;
    if (!server) {
      return;
    }
    const { shutdownDelayMs } = this.config;
    if (shutdownDelayMs > 0) {
      await new Promise((resolve) => setTimeout(resolve, shutdownDelayMs));
    }
    const cut = setTimeout(() => server.server.closeAllConnections(), timeLimitsMs.closeHttpServer);
    await server.close();
    clearTimeout(cut);
  }

  #createServer(): FastifyInstance {
    const { trustedProxies } = this.config;
    return fastify({
      logger: false,
      trustProxy: trustedProxies === '' ? false : trustedProxies.split(',').map((proxy) => proxy.trim()),
      genReqId: (request) => requestIdOf(request.headers),
      requestIdHeader: false,
      exposeHeadRoutes: false,
      // A request on an open connection is still served while the process drains.
      return503OnClosing: false,
      connectionTimeout: timeLimitsMs.idleConnection,
      // Slow senders hold no connection.
      requestTimeout: timeLimitsMs.receiveRequest,
      keepAliveTimeout: keepAliveMs,
      http: {
        headersTimeout: timeLimitsMs.receiveHeaders,
        connectionsCheckingInterval: 1_000,
        // Node would reject a request without it, and not with an error object.
        requireHostHeader: false,
      },
      frameworkErrors: (_error, request, reply) => void this.routes.rejectUnknown(request, reply),
      clientErrorHandler: (error, socket) => this.raw.rejectMalformed(error, socket),
    });
  }
}
