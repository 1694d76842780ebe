import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { Refusal } from './http-reply.js';

/** How long a client may take to read the reply. */
const readReplyMs = 2_000;

/** The headers that decide where a request ends, by the errors that Node's parser names. A repeated one is refused in any case. */
const framingHeaders = [
  [/CONTENT_LENGTH/, 'Content-Length'],
  [/TRANSFER_ENCODING/, 'Transfer-Encoding'],
] as const;

/**
 * Gives what Node's HTTP server hands over without a response object to the routes, as a request that none of them has: bytes that
 * are no HTTP request, one that came too slowly, and one for a tunnel. Its connection is closed.
 */
export class RawRequests {
  readonly #refusals = new WeakMap<IncomingMessage, Refusal>();
  readonly #refused = new WeakSet<Socket>();

  constructor(private readonly route: (request: IncomingMessage, response: ServerResponse) => void) {}

  /** Why a request is refused; undefined: Node has read it. */
  refusalOf(request: IncomingMessage): Refusal | undefined {
    return this.#refusals.get(request);
  }

  /** Listens for the requests that Node would close or reject without a response of ours. */
  attach(server: Server): void {
    // An Expect other than '100-continue' changes nothing.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    server.on('connect', (request, socket: Socket) => {
      socket.on('error', () => socket.destroy());
      this.#refuse(request, socket, { status: 404 });
    });
  }

  /** Answers bytes that are no HTTP request, or that came too slowly. */
  rejectMalformed(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // Bytes that arrive while the first rejection is on its way need no second one.
    if (this.#refused.has(socket)) {
      return;
    }
    this.#refused.add(socket);
    const malformedHeader = framingHeaders.find(([pattern]) => pattern.test(error.code ?? ''))?.[1];
    // A method that no route has.
    const request = Object.assign(new IncomingMessage(socket), { method: 'OPTIONS', url: '/' });
    const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
    this.#refuse(request, socket, { status, reason: error.code, malformedHeader });
  }

  #refuse(request: IncomingMessage, socket: Socket, refusal: Refusal): void {
    this.#refusals.set(request, refusal);
    const response = new ServerResponse(request);
    // Not the socket itself, which may have the response to a request before.
    const outlet = new Writable({
      write: (chunk, _encoding, done) => void (socket.writable ? socket.write(chunk, () => done()) : done()),
      final: (done) => {
        socket.end();
        done();
      },
    });
    response.assignSocket(outlet as Socket);
    response.once('finish', () => {
      outlet.end();
      // A server that closes waits for it, and knows no more of it than that: its client may keep its side open.
      const cut = setTimeout(() => socket.destroy(), readReplyMs).unref();
      socket.once('close', () => clearTimeout(cut));
    });
    this.route(request, response);
  }
}
