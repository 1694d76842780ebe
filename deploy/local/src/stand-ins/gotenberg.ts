import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import { findBinary } from '@pinkas/local-servers';
import {
  type Call,
  type Listen,
  listenFrom,
  modeRules,
  pause,
  positiveFrom,
  Refusal,
  type RunningStandIn,
  readMode,
  runAsProcess,
  send,
  sendJson,
  serveHttp,
} from './http.js';
import { readPrintForm } from './print-form.js';
import { PageLost, PrintPool, QueueFull, Unprintable } from './print-pool.js';

/** What {@link startGotenberg} needs. */
export interface GotenbergOptions extends Listen {
  /** Path of Chromium. Default: the machine's. */
  readonly chromiumPath?: string | undefined;
  /** How many documents are printed at the same time. Default: twice the number of processors. */
  readonly pages?: number | undefined;
  /** How many more may wait; beyond, the answer is 429, as Gotenberg's is. Default 256. */
  readonly queueMax?: number | undefined;
  /** How long one request may take, waiting included; beyond, the answer is 503. Default 30,000. */
  readonly apiTimeoutMs?: number | undefined;
}

interface Mode {
  /** Every n-th conversion answers 500; 0 means none. */
  readonly fail_every: number;
  /** How long every conversion waits before it starts, in milliseconds. */
  readonly delay_ms: number;
  /** Conversions are never answered; their connections stay open until the API's time is over. */
  readonly hang: boolean;
}

const noFaults: Mode = { fail_every: 0, delay_ms: 0, hang: false };

/**
 * Starts a stand-in for Gotenberg 8 over the machine's own Chromium. It answers `POST /forms/chromium/convert/html` and
 * `GET /health` as Gotenberg does, and, for tests of faults, `POST /_mode` and `GET /_calls`.
 *
 * @throws Error when Chromium is not there or does not start
 */
export async function startGotenberg(options: GotenbergOptions): Promise<RunningStandIn> {
  const chromiumPath = options.chromiumPath ?? findBinary('chromium-headless-shell');
  if (chromiumPath === null) throw new Error('Chromium was not found: install it or set CHROMIUM_PATH');
  const pool = await PrintPool.start({
    chromiumPath,
    pages: options.pages ?? availableParallelism() * 2,
    queueMax: options.queueMax ?? 256,
  });
  const apiTimeoutMs = options.apiTimeoutMs ?? 30_000;
  const calls = { converted: 0, failed: 0, in_flight: 0 };
  let mode = noFaults;
  let arrived = 0;

  async function convert(request: IncomingMessage, response: ServerResponse, gone: AbortSignal) {
    const trace = traceOf(request);
    response.setHeader('gotenberg-trace', trace);
    // Not AbortSignal.any with AbortSignal.timeout: Node 20 may collect such a signal as garbage before it fires.
    const end = new AbortController();
    const leave = () => end.abort(gone.reason);
    gone.addEventListener('abort', leave, { once: true });
    const timer = setTimeout(() => end.abort(new Error('the time of the API is over')), apiTimeoutMs);
    const deadline = end.signal;
    arrived += 1;
    const failing = mode.fail_every > 0 && arrived % mode.fail_every === 0;
    const { hang, delay_ms: delayMs } = mode;
    calls.in_flight += 1;
    try {
      const job = await readPrintForm(request);
      if (hang || delayMs > 0) await pause(hang ? apiTimeoutMs : delayMs, deadline);
      if (hang) throw new Refusal(503, 'Service Unavailable');
      if (failing) throw new Refusal(500, 'Internal Server Error');
      const pdf = await pool.print(job, deadline);
      calls.converted += 1;
      const name = request.headers['gotenberg-output-filename'] || trace;
      send(response, 200, 'application/pdf', pdf, {
        'content-disposition': `attachment; filename="${String(name).replace(/[^\w.-]/g, '_')}.pdf"`,
      });
    } catch (cause) {
      calls.failed += 1;
      if (cause instanceof QueueFull) throw new Refusal(429, 'Too Many Requests');
      if (cause instanceof Unprintable) throw new Refusal(400, cause.message);
      if (cause instanceof PageLost || (deadline.aborted && !gone.aborted))
        throw new Refusal(503, 'Service Unavailable');
      throw cause;
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', leave);
      calls.in_flight -= 1;
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse, { url, gone }: Call) {
    switch (`${request.method} ${url.pathname}`) {
      case 'POST /forms/chromium/convert/html':
        return convert(request, response, gone);
      case 'GET /health': {
        const status = pool.up ? 'up' : 'down';
        const details = { chromium: { status, timestamp: new Date().toISOString() } };
        return sendJson(response, pool.up ? 200 : 503, { status, details });
      }
      case 'POST /_mode':
        mode = await readMode(request, noFaults, {
          fail_every: modeRules.count,
          delay_ms: modeRules.delayMs,
          hang: modeRules.yesOrNo,
        });
        arrived = 0;
        return sendJson(response, 200, mode);
      case 'GET /_calls':
        return sendJson(response, 200, { mode, ...calls });
      default:
        throw new Refusal(404, 'Not Found');
    }
  }

  try {
    const running = await serveHttp(options, handle, (response, refusal) =>
      send(response, refusal.status, 'text/plain; charset=UTF-8', Buffer.from(refusal.message)),
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

function traceOf(request: IncomingMessage): string {
  const given = request.headers['gotenberg-trace'];
  if (typeof given === 'string' && given.length <= 200) return given;
  return randomUUID();
}

await runAsProcess(import.meta.url, 'gotenberg', (environment) =>
  startGotenberg({
    ...listenFrom(environment),
    chromiumPath: environment.CHROMIUM_PATH,
    pages: environment.PAGES ? positiveFrom(environment, 'PAGES', 1) : undefined,
    queueMax: positiveFrom(environment, 'QUEUE_MAX', 256),
    apiTimeoutMs: positiveFrom(environment, 'API_TIMEOUT_MS', 30_000),
  }),
);
