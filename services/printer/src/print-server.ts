import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import {
  type Call,
  HttpError,
  type Listen,
  modeRules,
  pause,
  type RunningSimulator,
  readMode,
  send,
  sendJson,
  serveHttp,
} from '../http.js';
import { readConversionForm } from './conversion-form.js';
import { PageLostError, PagePool, QueueFullError, UnprintableError } from './page-pool.js';

/** What {@link startGotenberg} needs. */
export interface GotenbergOptions extends Listen {
  /** Absolute path of Chromium. */
  readonly chromiumPath: string;
  /** How many documents are printed at the same time. Default: twice the number of processors. */
  readonly pages?: number | undefined;
  /** How many more may wait; beyond, the answer is 429, as Gotenberg's is. Default 256. */
  readonly queueMax?: number | undefined;
  /** How long one request may take, waiting included; beyond, the answer is 503. Default 30,000. */
  readonly apiTimeoutMs?: number | undefined;
  /** The `user:password` that conversions must have; none without it. */
  readonly basicAuth?: string | undefined;
}

interface Mode {
  /** Every n-th conversion answers 500; 0 means none. */
  readonly fail_every: number;
  /** How long every conversion waits before it starts, in milliseconds. */
  readonly delay_ms: number;
  /** Conversions are never answered; their connections stay open until the API's time is over. */
  readonly hang: boolean;
}

const noFailure: Mode = { fail_every: 0, delay_ms: 0, hang: false };

/**
 * Starts a simulator of Gotenberg 8 over the machine's own Chromium. It answers `POST /forms/chromium/convert/html` and
 * `GET /health` as Gotenberg does, and, for tests of failures, `POST /_mode` and `GET /_calls`.
 *
 * @throws Error when Chromium does not start
 */
export async function startGotenberg(options: GotenbergOptions): Promise<RunningSimulator> {
  const pool = await PagePool.start({
    chromiumPath: options.chromiumPath,
    pages: options.pages ?? availableParallelism() * 2,
    queueMax: options.queueMax ?? 256,
  });
  const simulator = new GotenbergSimulator(pool, options.apiTimeoutMs ?? 30_000, options.basicAuth);
  try {
    const running = await serveHttp(
      options,
      (request, response, call) => simulator.handle(request, response, call),
      (response, error) =>
        send(response, error.status, 'text/plain; charset=UTF-8', Buffer.from(error.message)),
    );
    return {
      url: running.url,
      async close() {
        await running.close();
        await pool.close();
      },
    };
  } catch (cause) {
    await pool.close();
    throw cause;
  }
}

class GotenbergSimulator {
  readonly #pool: PagePool;
  readonly #apiTimeoutMs: number;
  readonly #calls = { converted: 0, failed: 0, in_flight: 0 };
  readonly #authorization: string | undefined;
  #mode = noFailure;
  #arrived = 0;

  constructor(pool: PagePool, apiTimeoutMs: number, basicAuth: string | undefined) {
    this.#pool = pool;
    this.#apiTimeoutMs = apiTimeoutMs;
    this.#authorization = basicAuth && `Basic ${Buffer.from(basicAuth).toString('base64')}`;
  }

  async handle(request: IncomingMessage, response: ServerResponse, { url, gone }: Call): Promise<void> {
    switch (`${request.method} ${url.pathname}`) {
      case 'POST /forms/chromium/convert/html':
        return this.#convert(request, response, gone);
      case 'GET /health':
        return this.#sendHealth(response);
      case 'POST /_mode':
        return this.#setMode(request, response);
      case 'GET /_calls':
        return sendJson(response, 200, { mode: this.#mode, ...this.#calls });
      default:
        throw new HttpError(404, 'Not Found');
    }
  }

  async #convert(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> {
    if (this.#authorization && request.headers.authorization !== this.#authorization) {
      throw new HttpError(401, 'Unauthorized');
    }
    const trace = traceOf(request);
    response.setHeader('gotenberg-trace', trace);
    const deadline = new Deadline(gone, this.#apiTimeoutMs);
    const failure = this.#nextFailure();
    this.#calls.in_flight += 1;
    try {
      const job = await readConversionForm(request);
      await this.#simulateFailure(failure, deadline.signal);
      const pdf = await this.#pool.print(job, deadline.signal);
      this.#calls.converted += 1;
      sendPdf(response, pdf, String(request.headers['gotenberg-output-filename'] || trace));
    } catch (cause) {
      this.#calls.failed += 1;
      throw answerOf(cause, deadline.signal.aborted && !gone.aborted);
    } finally {
      deadline.clear();
      this.#calls.in_flight -= 1;
    }
  }

  /** The failure of the next conversion under the current mode; counts the conversion. */
  #nextFailure(): Failure {
    const { fail_every: failEvery, delay_ms: delayMs, hang } = this.#mode;
    this.#arrived += 1;
    return { hang, delayMs, fails: failEvery > 0 && this.#arrived % failEvery === 0 };
  }

  async #simulateFailure({ hang, delayMs, fails }: Failure, signal: AbortSignal): Promise<void> {
    if (hang) {
      await pause(this.#apiTimeoutMs, signal);
      throw new HttpError(503, 'Service Unavailable');
    }
    if (delayMs > 0) {
      await pause(delayMs, signal);
    }
    if (fails) {
      throw new HttpError(500, 'Internal Server Error');
    }
  }

  #sendHealth(response: ServerResponse): void {
    const status = this.#pool.up ? 'up' : 'down';
    const details = { chromium: { status, timestamp: new Date().toISOString() } };
    sendJson(response, this.#pool.up ? 200 : 503, { status, details });
  }

  async #setMode(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#mode = await readMode(request, noFailure, {
      fail_every: modeRules.count,
      delay_ms: modeRules.delayMs,
      hang: modeRules.yesOrNo,
    });
    this.#arrived = 0;
    sendJson(response, 200, this.#mode);
  }
}

interface Failure {
  readonly hang: boolean;
  readonly delayMs: number;
  readonly fails: boolean;
}

/**
 * A signal that aborts when the caller is gone or the time is over. AbortSignal.any with AbortSignal.timeout is no
 * alternative: Node 20 may collect such a signal as garbage before it aborts.
 */
class Deadline {
  readonly #end = new AbortController();
  readonly #gone: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  constructor(gone: AbortSignal, timeoutMs: number) {
    this.#gone = gone;
    gone.addEventListener('abort', this.#leave, { once: true });
    this.#timer = setTimeout(() => this.#end.abort(new Error('the API timeout is over')), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#gone.removeEventListener('abort', this.#leave);
  }

  readonly #leave = () => this.#end.abort(this.#gone.reason);
}

function sendPdf(response: ServerResponse, pdf: Buffer, name: string): void {
  send(response, 200, 'application/pdf', pdf, {
    'content-disposition': `attachment; filename="${name.replace(/[^\w.-]/g, '_')}.pdf"`,
  });
}

/** The error that Gotenberg answers for this failure. */
function answerOf(cause: unknown, isTimeout: boolean): unknown {
  if (cause instanceof QueueFullError) {
    return new HttpError(429, 'Too Many Requests');
  }
  if (cause instanceof UnprintableError) {
    return new HttpError(400, cause.message);
  }
  if (cause instanceof PageLostError || isTimeout) {
    return new HttpError(503, 'Service Unavailable');
  }
  return cause;
}

function traceOf(request: IncomingMessage): string {
  const given = request.headers['gotenberg-trace'];
  if (typeof given === 'string' && given.length <= 200) {
    return given;
  }
  return randomUUID();
}
