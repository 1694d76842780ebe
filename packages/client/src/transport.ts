import type { PinkasClientOptions, Timing } from './client-options.js';
import { errorOf, PinkasConnectionError, PinkasError } from './pinkas-error.js';
import { type ResponseFacts, responseFacts } from './response-facts.js';
import { delayMs, type RetryPolicy, retryAfterMs, retryPolicy } from './retry.js';

/** One request, however often it is sent. */
export interface Request {
  readonly method: 'GET' | 'POST';
  /** Below the base address, with the query. */
  readonly path: string;
  /** Whether the key is sent. */
  readonly withKey: boolean;
  /** Sent as JSON; undefined: no body. */
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  /** When the call must be over; default: the total of the policy from now. */
  readonly untilMs?: number;
}

/** An answer inside 2xx. */
export interface Answer<Body> {
  readonly body: Body;
  readonly response: ResponseFacts;
}

/** A refusal, and whether an earlier try may have had an effect that nobody told of. */
export interface Failure {
  readonly error: PinkasError | PinkasConnectionError;
  readonly outcomeUnknown: boolean;
}

export type Outcome<Body> =
  | { readonly ok: true; readonly answer: Answer<Body> }
  | ({ readonly ok: false } & Failure);

/** Sends requests over HTTP, again where that is right. */
export class Transport {
  readonly baseUrl: string;
  readonly #apiKey: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly #timeoutMs: number;
  readonly #policy: RetryPolicy;
  readonly #timing: Timing;
  readonly #onResponse: (facts: ResponseFacts) => void;

  constructor(options: PinkasClientOptions) {
    this.baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, '');
    // A header that cannot be sent would be quoted in the error of whoever tries.
    if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
      throw new TypeError('apiKey must be a text of visible ASCII characters');
    }
    this.#apiKey = options.apiKey;
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#timeoutMs = options.timeoutMs ?? 35_000;
    this.#policy = retryPolicy(options.retry);
    this.#timing = { now: Date.now, random: Math.random, wait, ...options.timing };
    this.#onResponse = options.onResponse ?? (() => {});
  }

  /** When a call that begins now must be over. */
  untilMs(): number {
    return this.#timing.now() + this.#policy.totalMs;
  }

  /**
   * Sends a request until it has an answer, is refused for good, or a bound is met.
   * @throws TypeError where the request cannot be written as HTTP.
   */
  async send<Body>(request: Request): Promise<Outcome<Body>> {
    const init = this.#init(request);
    const untilMs = request.untilMs ?? this.untilMs();
    let outcomeUnknown = false;
    for (let attempts = 1; ; attempts += 1) {
      const sent = { idempotencyKey: request.idempotencyKey ?? null, attempts };
      const tried = await this.#try<Body>(request, init, untilMs, sent);
      if (tried.ok) return tried;
      const { error, askedToWaitMs } = tried;
      const again = error instanceof PinkasError ? error.retryable : error.reason !== 'aborted';
      if (again && attempts < this.#policy.attemptsMax) {
        const pauseMs = delayMs(this.#policy, attempts, this.#timing.random(), askedToWaitMs);
        if (this.#timing.now() + pauseMs < untilMs) {
          outcomeUnknown ||= !(error instanceof PinkasError) || error.status >= 500;
          try {
            await this.#timing.wait(pauseMs, request.signal);
            continue;
          } catch (cause) {
            const ended = new PinkasConnectionError('aborted', { ...sent, cause });
            return { ok: false, error: ended, outcomeUnknown };
          }
        }
      }
      return { ok: false, error, outcomeUnknown };
    }
  }

  async #try<Body>(
    request: Request,
    init: RequestInit,
    untilMs: number,
    sent: { idempotencyKey: string | null; attempts: number },
  ): Promise<
    | { ok: true; answer: Answer<Body> }
    | { ok: false; error: PinkasError | PinkasConnectionError; askedToWaitMs: number | undefined }
  > {
    const ending = new AbortController();
    const end = () => ending.abort();
    const forMs = Math.min(request.timeoutMs ?? this.#timeoutMs, Math.max(0, untilMs - this.#timing.now()));
    const timer = setTimeout(end, forMs);
    // The caller's signal may outlive many calls: nothing of this one may stay on it.
    request.signal?.addEventListener('abort', end, { once: true });
    if (request.signal?.aborted) end();
    let response: Response;
    let text: string;
    try {
      response = await this.#fetch(`${this.baseUrl}${request.path}`, {
        ...init,
        signal: ending.signal,
      });
      text = await response.text();
    } catch (cause) {
      const reason = request.signal?.aborted ? 'aborted' : ending.signal.aborted ? 'timeout' : 'network';
      const error = new PinkasConnectionError(reason, {
        ...sent,
        cause: reason === 'aborted' ? request.signal?.reason : cause,
      });
      return { ok: false, error, askedToWaitMs: undefined };
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', end);
    }
    const facts = responseFacts(response, sent.idempotencyKey, sent.attempts);
    this.#onResponse(facts);
    const body = parsed(text);
    if (response.ok && typeof body === 'object' && body !== null) {
      return { ok: true, answer: { body: body as Body, response: facts } };
    }
    return {
      ok: false,
      error: errorOf(response, body, sent),
      askedToWaitMs: retryAfterMs(response.headers.get('retry-after'), this.#timing.now()),
    };
  }

  #init({ method, withKey, body, idempotencyKey }: Request): RequestInit {
    return {
      method,
      // A redirected POST would arrive as a GET, or with its key at another host.
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(withKey ? { authorization: `Bearer ${this.#apiKey}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': headerText(idempotencyKey) }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
  }
}

/** A text as a header: the interface reads it as UTF-8, where headers are bytes. */
function headerText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no header can carry.
  if (/[\u0000-\u001f\u007f]/.test(text)) {
    throw new TypeError('idempotencyKey must not contain control characters');
  }
  return String.fromCharCode(...new TextEncoder().encode(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
