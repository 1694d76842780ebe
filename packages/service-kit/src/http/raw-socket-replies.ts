import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { newContext, withContext } from '../process/context.js';
import type { Logger } from '../process/logger.js';
import type { HttpMetrics } from './http-metrics.js';
import type { HttpOrigin, RawRejection, RawReply } from './http-reply.js';

/** How long a client may take to read the reply. */
const readReplyMs = 2_000;

/** The headers that decide where a request ends, by the errors that Node's parser names. A repeated one is refused in any case. */
const framingHeaders = [
  [/CONTENT_LENGTH/, 'Content-Length'],
  [/TRANSFER_ENCODING/, 'Transfer-Encoding'],
] as const;

/** Answers over the socket what Node's HTTP server hands over without a response object. */
export class RawSocketReplies {
  readonly #rejected = new WeakSet<Socket>();

  constructor(
    private readonly reject: (reason: RawRejection, origin: HttpOrigin) => Promise<RawReply>,
    private readonly requestIdOf: (request: Pick<IncomingMessage, 'rawHeaders'>) => string,
    private readonly metrics: HttpMetrics,
    private readonly logger: Logger,
  ) {}

  /** Listens for the requests that Node would close or reject without a response of ours. */
  attach(server: Server): void {
    // An Expect other than '100-continue' changes nothing.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    server.on('connect', (request, socket: Socket) => {
      socket.on('error', () => socket.destroy());
      void this.#answer(socket, { requestId: this.requestIdOf(request) }, 'unknown');
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
    const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const malformedHeader = framingHeaders.find(([pattern]) => pattern.test(error.code ?? ''))?.[1];
    void this.#answer(socket, { requestId, malformedHeader }, isSlow ? 'too_slow' : 'malformed');
  }

  async #answer(socket: Socket, request: Omit<HttpOrigin, 'address'>, reason: RawRejection): Promise<void> {
    const startedMs = performance.now();
    const { requestId } = request;
    const origin = { ...request, address: socket.remoteAddress ?? '' };
    const reply = await withContext(newContext(timeLimitsMs.request, requestId), () =>
      this.reject(reason, origin),
    );
    this.metrics.completed({ method: '', route: undefined }, reply.status, startedMs);
    // A server that closes waits for it, and knows no more of it than that: its client may keep its side open.
    const cut = setTimeout(() => socket.destroy(), readReplyMs).unref();
    socket.once('close', () => clearTimeout(cut));
    socket.end(toBytes(reply, requestId));
  }
}

function toBytes({ status, headers, body }: RawReply, requestId: string): string {
  const lines = Object.entries({
    ...headers,
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}
