import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LookTimer } from '@pinkas/service-kit/concurrency';
import { HttpError, send } from '@pinkas/service-kit/http';
import { type Logger, secondsSince } from '@pinkas/service-kit/process';
import { readConversionForm } from './conversion-form.js';
import type { InstalledFonts } from './installed-fonts.js';
import type { PagePool } from './page-pool.js';
import { PageLostError, UnprintableError } from './print-errors.js';
import type { PrinterMetrics, PrintOutcome } from './printer-metrics.js';

/** Longer than rendering keeps an idle connection: one that is closed under a request costs a second attempt. */
const keepAliveMs = 75_000;
/** How many connections are open at most. Every replica of rendering opens RENDER_CONCURRENCY. */
const connectionsMax = 1_024;

/** What a {@link PrintServer} needs. */
interface PrintServerOptions {
  readonly pool: PagePool;
  /** How many requests are in flight at most, those that wait included; a further one is refused before its body is read. */
  readonly inFlightMax: number;
  readonly requestBytesMax: number;
  readonly apiTimeoutMs: number;
  /** What conversions must prove; null: nothing. */
  readonly basicAuth: { readonly username: string; readonly password: string } | null;
  readonly fonts: InstalledFonts | null;
  readonly metrics: PrinterMetrics;
  readonly logger: Logger;
}

/** Speaks Gotenberg's HTTP API, as far as rendering uses it: `POST /forms/chromium/convert/html` and `GET /health`. */
export class PrintServer {
  readonly #options: PrintServerOptions;
  readonly #server: Server;
  readonly #credentials: Buffer | null;
  #inFlight = 0;
  #draining = false;

  constructor(options: PrintServerOptions) {
    this.#options = options;
    const { basicAuth, apiTimeoutMs } = options;
    this.#credentials =
      basicAuth &&
      hashOf(`Basic ${Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString('base64')}`);
    this.#server = createServer(
      {
        headersTimeout: apiTimeoutMs,
        // The deadline answers a slow body; this ends the connection of one that still sends.
        requestTimeout: apiTimeoutMs + 1_000,
        connectionsCheckingInterval: 1_000,
        keepAliveTimeout: keepAliveMs,
      },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.maxConnections = connectionsMax;
  }

  /** @returns the port that it listens on. */
  async start(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on every answer closes its connection, so that callers open their next one elsewhere. */
  drain(): void {
    this.#draining = true;
  }

  /** Stops listening, and waits for the requests in flight, which their deadlines bound. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const cut = setTimeout(() => this.#server.closeAllConnections(), this.#options.apiTimeoutMs + 1_000);
    await closed;
    clearTimeout(cut);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#draining) {
      response.shouldKeepAlive = false;
    }
    try {
      const path = (request.url ?? '/').replace(/\?.*$/s, '');
      if (path === '/health') {
        this.#sendHealth(request, response);
      } else if (path === '/forms/chromium/convert/html') {
        await this.#convert(request, response);
      } else {
        throw new HttpError(404, 'Not Found');
      }
    } catch (cause) {
      if (!(cause instanceof HttpError)) {
        this.#options.logger.error({ err: cause }, 'request failed');
      }
      const { status, message } =
        cause instanceof HttpError ? cause : new HttpError(500, 'Internal Server Error');
      send(response, status, 'text/plain; charset=UTF-8', Buffer.from(message), refusalHeaders[status]);
    } finally {
      // The rest of a body is read and thrown away: a caller that still writes would otherwise never read the answer.
      request.resume();
    }
  }

  #sendHealth(request: IncomingMessage, response: ServerResponse): void {
    allow(request, 'GET', 'HEAD');
    const { pool, fonts } = this.#options;
    const { version, isSandboxed } = pool.state;
    const status = pool.up ? 'up' : 'down';
    const details = {
      chromium: {
        status,
        timestamp: new Date().toISOString(),
        version: version ?? null,
        sandbox: isSandboxed,
      },
      fonts,
    };
    const body = Buffer.from(JSON.stringify({ status, details }));
    send(response, pool.up ? 200 : 503, 'application/json; charset=UTF-8', body);
  }

  async #convert(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { metrics, logger, apiTimeoutMs, inFlightMax } = this.#options;
    this.#authorize(request);
    allow(request, 'POST');
    const trace = traceOf(request);
    response.setHeader('gotenberg-trace', trace);
    if (this.#inFlight >= inFlightMax) {
      metrics.printEnded('rejected');
      throw new HttpError(429, 'Too Many Requests');
    }
    const startedMs = performance.now();
    const deadline = new Deadline(response, apiTimeoutMs);
    this.#inFlight += 1;
    let outcome: PrintOutcome = 'printed';
    let bytes = 0;
    try {
      const pdf = await this.#print(request, deadline.signal);
      bytes = pdf.length;
      sendPdf(response, pdf, String(request.headers['gotenberg-output-filename'] || trace));
    } catch (cause) {
      const [ending, error] = refusalOf(cause, deadline);
      outcome = ending;
      throw error;
    } finally {
      deadline.clear();
      this.#inFlight -= 1;
      metrics.printEnded(outcome);
      const level = outcome === 'printed' || outcome === 'abandoned' ? 'info' : 'warn';
      logger[level](
        { trace, outcome, bytes, duration_ms: Math.round(performance.now() - startedMs) },
        'print ended',
      );
    }
  }

  async #print(request: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
    const { metrics, pool, requestBytesMax } = this.#options;
    const job = await unlessAborted(readConversionForm(request, requestBytesMax), signal);
    const queuedMs = performance.now();
    let printingMs = 0;
    const pdf = await pool.print(job, signal, () => {
      if (printingMs === 0) {
        printingMs = performance.now();
        metrics.printTook('queue', (printingMs - queuedMs) / 1_000);
      }
    });
    metrics.printTook('print', secondsSince(printingMs));
    return pdf;
  }

  #authorize({ headers }: IncomingMessage): void {
    if (this.#credentials && !timingSafeEqual(hashOf(headers.authorization ?? ''), this.#credentials)) {
      throw new HttpError(401, 'Unauthorized');
    }
  }
}

/** A signal that aborts when the caller is gone or the time is over, by a timer that a pause of this process does not end. */
class Deadline {
  /** Why it aborted, if it did. */
  reason: 'timeout' | 'gone' | undefined;
  readonly #end = new AbortController();
  readonly #response: ServerResponse;
  readonly #timer: LookTimer;

  constructor(response: ServerResponse, timeoutMs: number) {
    this.#response = response;
    response.once('close', this.#leave);
    this.#timer = new LookTimer(timeoutMs, () => this.#abort('timeout'));
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  clear(): void {
    this.#timer.end();
    this.#response.removeListener('close', this.#leave);
  }

  readonly #leave = () => this.#abort('gone');

  #abort(reason: 'timeout' | 'gone'): void {
    this.reason ??= reason;
    this.#end.abort(new Error(reason === 'gone' ? 'the caller has left' : 'the time of the request is over'));
  }
}

/** How the request ended, and what its caller gets: as Gotenberg answers. */
function refusalOf(cause: unknown, { reason }: Deadline): [PrintOutcome, unknown] {
  if (cause instanceof HttpError) {
    return ['refused', cause];
  }
  if (cause instanceof UnprintableError) {
    return ['refused', new HttpError(cause.status, cause.message)];
  }
  if (reason === 'gone') {
    return ['abandoned', new HttpError(503, 'Service Unavailable')];
  }
  if (reason === 'timeout') {
    return ['timed_out', new HttpError(503, 'Service Unavailable')];
  }
  return ['failed', cause instanceof PageLostError ? new HttpError(503, 'Service Unavailable') : cause];
}

const refusalHeaders: Readonly<Record<number, Record<string, string>>> = {
  401: { 'www-authenticate': 'Basic realm="Restricted"' },
  429: { 'retry-after': '1' },
};

function allow({ method = '' }: IncomingMessage, ...methods: string[]): void {
  if (!methods.includes(method)) {
    throw new HttpError(405, 'Method Not Allowed');
  }
}

function sendPdf(response: ServerResponse, pdf: Buffer, name: string): void {
  send(response, 200, 'application/pdf', pdf, {
    'content-disposition': `attachment; filename="${name.replace(/[^\w.-]/g, '_')}.pdf"`,
  });
}

async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let leave = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest();

function traceOf({ headers }: IncomingMessage): string {
  const given = headers['gotenberg-trace'];
  return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : randomUUID();
}
