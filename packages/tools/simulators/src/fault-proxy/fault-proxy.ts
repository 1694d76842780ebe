import { Agent, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { HttpError, send } from '@pinkas/service-kit/http';
import {
  type Call,
  hangMaxMs,
  type Listen,
  modeRules,
  pause,
  type RunningSimulator,
  readMode,
  sendJson,
  serveHttp,
} from '../http.js';

/** What {@link startFaultProxy} needs. */
interface FaultProxyOptions extends Listen {
  /** The print server, or a Gotenberg, that prints. */
  readonly upstreamUrl: string;
}

interface Mode {
  /** Every n-th conversion answers 500; 0 means none. */
  readonly fail_every: number;
  /** How long every conversion waits before its body is forwarded, in milliseconds. */
  readonly delay_ms: number;
  /** Conversions are not forwarded and not answered until another mode is set; their connections stay open. */
  readonly hang: boolean;
}

const noFailure: Mode = { fail_every: 0, delay_ms: 0, hang: false };

/**
 * Starts a proxy in front of a Gotenberg that makes conversions slow or fail, for tests: the print server itself has nothing
 * of the kind. `POST /_mode` sets the mode and `GET /_calls` shows it with the counts; everything else is forwarded.
 */
export function startFaultProxy(options: FaultProxyOptions): Promise<RunningSimulator> {
  const proxy = new FaultProxy(options.upstreamUrl);
  return serveHttp(
    options,
    (request, response, call) => proxy.handle(request, response, call),
    (response, error) =>
      send(response, error.status, 'text/plain; charset=UTF-8', Buffer.from(error.message)),
  );
}

class FaultProxy {
  readonly #upstreamUrl: string;
  // Many tests share one print server, and none may wait for a connection of another.
  readonly #agent = new Agent({ keepAlive: true });
  readonly #calls = { converted: 0, failed: 0, in_flight: 0 };
  #mode = noFailure;
  /** Ends the delays in progress: a new mode is for them as well. */
  #changed = new AbortController();
  #arrived = 0;

  constructor(upstreamUrl: string) {
    this.#upstreamUrl = upstreamUrl;
  }

  async handle(request: IncomingMessage, response: ServerResponse, { url, gone }: Call): Promise<void> {
    switch (`${request.method} ${url.pathname}`) {
      case 'POST /_mode':
        return this.#setMode(request, response);
      case 'GET /_calls':
        return sendJson(response, 200, { mode: this.#mode, ...this.#calls });
      case 'POST /forms/chromium/convert/html':
        return this.#convert(request, response, gone);
      default:
        await this.#forward(request, response, gone, 0);
    }
  }

  async #convert(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const { fail_every: failEvery, delay_ms: delayMs, hang } = this.#mode;
    this.#arrived += 1;
    const fails = failEvery > 0 && this.#arrived % failEvery === 0;
    this.#calls.in_flight += 1;
    let status: number | undefined;
    try {
      if (fails) {
        throw new HttpError(500, 'Internal Server Error');
      }
      status = await this.#forward(request, response, gone, hang ? hangMaxMs : delayMs);
    } finally {
      this.#calls[status === 200 ? 'converted' : 'failed'] += 1;
      this.#calls.in_flight -= 1;
    }
  }

  /**
   * Forwards a request. The upstream's connection is open during the delay, so that its end is seen at once; it ends the
   * caller's connection, as a print server that dies does. @returns the status, if there was an answer.
   */
  #forward(
    request: IncomingMessage,
    response: ServerResponse,
    gone: AbortSignal,
    delayMs: number,
  ): Promise<number | undefined> {
    return new Promise((resolve) => {
      const { authorization: _none, ...headers } = request.headers;
      const url = new URL(this.#upstreamUrl);
      const upstream = openRequest(new URL(request.url ?? '/', url), {
        agent: this.#agent,
        method: request.method,
        headers: { ...headers, host: url.host, ...(url.username ? {} : authorizationOf(request)) },
        ...(url.username && {
          auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`,
        }),
        signal: gone,
      });
      upstream.once('error', () => {
        response.destroy();
        resolve(undefined);
      });
      upstream.once('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        pipeline(answer, response, () => resolve(answer.statusCode));
      });
      upstream.flushHeaders();
      const ended = AbortSignal.any([gone, this.#changed.signal]);
      void pause(delayMs, ended).then(() => gone.aborted || request.pipe(upstream));
    });
  }

  async #setMode(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#mode = await readMode(request, noFailure, {
      fail_every: modeRules.count,
      delay_ms: modeRules.delayMs,
      hang: modeRules.yesOrNo,
    });
    this.#arrived = 0;
    this.#changed.abort();
    this.#changed = new AbortController();
    sendJson(response, 200, this.#mode);
  }
}

const authorizationOf = ({ headers: { authorization } }: IncomingMessage) =>
  authorization === undefined ? {} : { authorization };
