import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpError, send } from '@pinkas/service-kit/http';

/** How long requests in flight may take after a simulator is stopped. */
const stopGraceMs = 1_000;

/** How many calls, and how many of their effects, a simulator's `GET /_calls` shows at most. */
export const shownMax = 10_000;

/** How long a hanging call is held open at most. */
export const hangMaxMs = 600_000;

/** Where a simulator listens. Port 0 takes any free port. */
export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** A running simulator: its address (`http://host:port`, no slash at the end) and the way to stop it. */
export interface RunningSimulator {
  readonly url: string;
  close(): Promise<void>;
}

/** Reads a whole body. Throws a {@link HttpError} (413) above `bytesMax`, so that no caller can fill the memory. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bytesMax) {
      throw new HttpError(413, `the body is larger than ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a body of at most 64 KB that must be a JSON object. Throws a {@link HttpError} (400) where it is none. */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = (await readBody(request, 64 * 1024)).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpError(400, 'the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HttpError(400, 'the body is not a JSON object');
  }
  return value as Record<string, unknown>;
}

/**
 * Reads the body of `POST /_mode`. Every member must be known; what is not sent takes its default again, so that `{}`
 * always means 'no failures'.
 *
 * @param rules one check per member: the value to keep, or `undefined` when the given one is wrong
 * @throws HttpError (400) that names every fault
 */
export async function readMode<Mode extends object>(
  request: IncomingMessage,
  defaults: Mode,
  rules: { readonly [Member in keyof Mode]: { readonly wants: string; holds(value: unknown): boolean } },
): Promise<Mode> {
  const body = await readJsonObject(request);
  const failures: string[] = [];
  for (const [member, value] of Object.entries(body)) {
    const rule = Object.hasOwn(rules, member) ? rules[member as keyof Mode] : undefined;
    if (!rule) {
      failures.push(`${member} is unknown (known: ${Object.keys(rules).join(', ')})`);
    } else if (!rule.holds(value)) {
      failures.push(`${member} must be ${rule.wants}`);
    }
  }
  if (failures.length > 0) {
    throw new HttpError(400, failures.join('; '));
  }
  return { ...defaults, ...body };
}

/** Rules for {@link readMode}. */
export const modeRules = {
  delayMs: {
    wants: 'a whole number of milliseconds, 0 to 600000',
    holds: (value: unknown) => wholeNumber(value, 600_000),
  },
  count: { wants: 'a whole number, 0 or more', holds: (value: unknown) => wholeNumber(value, 1_000_000) },
  text: { wants: 'a text', holds: (value: unknown) => typeof value === 'string' },
  yesOrNo: { wants: 'true or false', holds: (value: unknown) => typeof value === 'boolean' },
  oneOf: (words: readonly string[]) => ({
    wants: `one of ${words.join(', ')}`,
    holds: (value: unknown) => words.includes(value as string),
  }),
};

function wholeNumber(value: unknown, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

/** Answers JSON. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  send(response, status, 'application/json; charset=utf-8', Buffer.from(JSON.stringify(value)));
}

/** Waits, but no longer than the signal lasts. Says whether the whole time went by. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      return resolve(false);
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', gone);
      resolve(true);
    }, ms);
    const gone = () => {
      clearTimeout(timer);
      resolve(false);
    };
    signal.addEventListener('abort', gone, { once: true });
  });
}

/** What a handler learns about a request, beside the request itself. */
export interface Call {
  /** The address asked for, without the host. */
  readonly url: URL;
  /** Aborted when the caller is gone or the simulator stops. */
  readonly gone: AbortSignal;
}

/**
 * Serves HTTP. A {@link HttpError} that the handler throws is answered through `refuse`; anything else it throws is logged
 * on stderr and answered 500.
 */
export async function serveHttp(
  listen: Listen,
  handle: (request: IncomingMessage, response: ServerResponse, call: Call) => Promise<void>,
  refuse: (response: ServerResponse, error: HttpError) => void = (response, error) =>
    sendJson(response, error.status, { error: error.message }),
): Promise<RunningSimulator> {
  // Of each request in flight its own: Node warns of a leak where a dozen requests listen to one signal.
  const inFlight = new Set<AbortController>();
  const server = createServer((request, response) => {
    const gone = new AbortController();
    inFlight.add(gone);
    response.once('close', () => {
      inFlight.delete(gone);
      gone.abort();
    });
    const url = new URL(request.url ?? '/', 'http://simulator.invalid');
    handle(request, response, { url, gone: gone.signal }).catch((cause: unknown) => {
      if (cause instanceof HttpError) {
        return refuse(response, cause);
      }
      if (gone.signal.aborted) {
        return;
      }
      console.error(cause);
      refuse(response, new HttpError(500, 'the simulator failed; see its log'));
    });
  });
  // Callers keep their connections for longer than Node's five seconds; closing one under a request looks like a fault.
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listen.port, listen.host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${port}`,
    async close() {
      for (const gone of inFlight) {
        gone.abort();
      }
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), stopGraceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}
