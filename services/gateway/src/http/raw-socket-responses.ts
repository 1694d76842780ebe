import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { timeLimitsMs } from '@pinkas/contracts';
import { InjectLogger, type Logger, newContext, withContext } from '@pinkas/service-kit';
import { HttpMetrics } from '@pinkas/service-kit/http';
import { type HttpResponse, type Respond, requestIdOf } from './http-message.js';
import { RequestPipeline } from './request-pipeline.js';

/** Answers over the socket what Node's HTTP server hands over without a response object. */
@Injectable()
export class RawSocketResponses {
  readonly #rejected = new WeakSet<Socket>();

  constructor(
    private readonly pipeline: RequestPipeline,
    private readonly metrics: HttpMetrics,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /** Listens for the requests that Node would close or reject without an error object. */
  attach(server: Server): void {
    // An Expect other than '100-continue' changes nothing.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    server.on('connect', (request: IncomingMessage, socket: Socket) => {
      socket.on('error', () => socket.destroy());
      void this.#answer(socket, requestIdOf(request.headers), this.pipeline.rejectUnknown);
    });
  }

  /** Answers bytes that are no HTTP request, or that came too slowly, and closes. */
  rejectMalformed(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // Bytes that arrive while the first rejection is on its way need no second one.
    if (this.#rejected.has(socket)) {
      return;
    }
    this.#rejected.add(socket);
    const requestId = randomUUID();
    this.logger.info({ request_id: requestId, reason: error.code }, 'malformed request rejected');
    void this.#answer(socket, requestId, this.pipeline.rejectMalformed);
  }

  async #answer(socket: Socket, requestId: string, respond: Respond): Promise<void> {
    const startedMs = performance.now();
    const request = {
      requestId,
      address: socket.remoteAddress ?? '',
      apiKey: '',
      headers: {},
      params: {},
      query: '',
      stream: socket,
    };
    const response = await withContext(newContext(timeLimitsMs.request, requestId), () => respond(request));
    this.metrics.completed({ method: '', route: undefined }, response.status, startedMs);
    socket.end(toBytes(response, requestId));
  }
}

function toBytes({ status, headers, body }: HttpResponse, requestId: string): string {
  const lines = Object.entries({
    ...headers,
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}
