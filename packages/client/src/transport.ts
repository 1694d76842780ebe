import type { PinkasClientOptions, Timing } from './client-options.js';
import { errorOf, PinkasConnectionError, PinkasError, type Sent } from './pinkas-error.js';
import { type ResponseFacts, responseFacts } from './response-facts.js';
import { delayMs, type RetryPolicy, retryAfterMs, retryPolicy } from './retry.js';
import { checkedTimeoutMs } from './time-bounds.js';

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
  /** Whether it changes anything. Default: whether it is a POST. */
  readonly changes?: boolean;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  /** All attempts and delays together, in milliseconds; default: the total of the policy. */
  readonly totalMs?: number;
  /** Whether the outcome of an earlier request for the same purpose is unknown. Default: no. */
  readonly outcomeUnknown?: boolean;
}

/** An answer inside 2xx. */
export interface Answer<Body> {
  readonly body: Body;
  readonly response: ResponseFacts;
}

/** How a call ended. */
export type Outcome<Body> =
  | { readonly ok: true; readonly answer: Answer<Body> }
  | { readonly ok: false; readonly error: PinkasError | PinkasConnectionError };

interface FailedAttempt {
  readonly ok: false;
  readonly error: PinkasError | PinkasConnectionError;
  readonly requestedDelayMs: number | undefined;
}

/** How an attempt ended. */
type AttemptResult<Body> = { readonly ok: true; readonly answer: Answer<Body> } | FailedAttempt;

/** The least time for an attempt: with less it would end before a response, and leave the outcome unknown. */
const attemptMinMs = 1000;

/** The shortest wait for another request with the same key, whatever waits the policy has. */
const inProgressDelayMs = 1000;

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
    // A header that cannot be sent would be quoted in the error of fetch.
    const { apiKey } = options as { apiKey?: unknown };
    if (typeof apiKey !== 'string' || apiKey === '') {
      throw new TypeError(`apiKey is ${apiKey === '' ? 'empty' : 'missing'}`);
    }
    if (!/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new TypeError('apiKey must be a text of visible ASCII characters');
    }
    this.#apiKey = apiKey;
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#timeoutMs = checkedTimeoutMs(options.timeoutMs ?? 25_000);
    this.#policy = retryPolicy(options.retry);
    this.#timing = { now: Date.now, random: Math.random, wait, ...options.timing };
    this.#onResponse = options.onResponse ?? (() => {});
  }

  /**
   * Sends a request until it has an answer, is refused for good, or a bound is met.
   * @throws TypeError where the request cannot be written as HTTP; RangeError where its `timeoutMs` is no time.
   */
  async send<Body>(request: Request): Promise<Outcome<Body>> {
    const { signal } = request;
    const init = this.#init(request);
    const timeoutMs = checkedTimeoutMs(request.timeoutMs ?? this.#timeoutMs);
    const untilMs = this.#timing.now() + (request.totalMs ?? this.#policy.totalMs);
    const requiredMs = Math.min(attemptMinMs, timeoutMs);
    let { outcomeUnknown = false } = request;
    let counted = 0;
    for (let attempts = 1; ; attempts += 1) {
      const sent: Sent = {
        idempotencyKey: request.idempotencyKey ?? null,
        attempts,
        changes: request.changes ?? request.method === 'POST',
        outcomeUnknown,
      };
      if (signal?.aborted) {
        return aborted({ ...sent, attempts: attempts - 1 }, signal.reason);
      }
      const forMs = Math.min(timeoutMs, Math.max(0, untilMs - this.#timing.now()));
      const attempt = await this.#attempt<Body>(request, init, forMs, sent);
      if (attempt.ok) {
        return attempt;
      }
      const { error } = attempt;
      outcomeUnknown = error.outcomeUnknown;
      counted += Number(!isInProgress(error));
      if (!this.#mayRetry(error, counted)) {
        return { ok: false, error };
      }
      const paused = await this.#pause(this.#delayAfter(attempt, attempts), untilMs - requiredMs, signal);
      if (paused === 'aborted') {
        return aborted({ ...sent, outcomeUnknown }, signal?.reason);
      }
      if (paused === 'late') {
        return { ok: false, error };
      }
    }
  }

  /** The delay after a failed attempt. */
  #delayAfter({ error, requestedDelayMs }: FailedAttempt, attempts: number): number {
    const leastMs = isInProgress(error)
      ? Math.max(requestedDelayMs ?? 0, inProgressDelayMs)
      : requestedDelayMs;
    return delayMs(this.#policy, attempts, this.#timing.random(), leastMs);
  }

  /** Waits unless the pause would end, or has ended, after `untilMs`: a machine that slept may have waited longer. */
  async #pause(
    pauseMs: number,
    untilMs: number,
    signal: AbortSignal | undefined,
  ): Promise<'waited' | 'late' | 'aborted'> {
    if (this.#timing.now() + pauseMs > untilMs) {
      return 'late';
    }
    try {
      await this.#timing.wait(pauseMs, signal);
    } catch {
      return 'aborted';
    }
    return this.#timing.now() > untilMs ? 'late' : 'waited';
  }

  /** @param counted the attempts so far that met no other request with the same key. */
  #mayRetry(error: PinkasError | PinkasConnectionError, counted: number): boolean {
    const { attemptsMax } = this.#policy;
    if (attemptsMax === 1 || counted >= attemptsMax) {
      return false;
    }
    return error instanceof PinkasError ? error.retryable : error.reason !== 'aborted';
  }

  async #attempt<Body>(
    request: Request,
    init: RequestInit,
    forMs: number,
    sent: Sent,
  ): Promise<AttemptResult<Body>> {
    const ending = new AbortController();
    const end = () => ending.abort();
    const timer = setTimeout(end, forMs);
    // The caller's signal may outlive many calls: nothing of this one may stay on it.
    request.signal?.addEventListener('abort', end, { once: true });
    if (request.signal?.aborted) {
      end();
    }
    let response: Response;
    let text: string;
    try {
      response = await this.#fetch(`${this.baseUrl}${request.path}`, {
        ...init,
        signal: ending.signal,
      });
      text = await response.text();
    } catch (cause) {
      const ownReason = ending.signal.aborted ? 'timeout' : 'network';
      const reason = request.signal?.aborted ? 'aborted' : ownReason;
      const error = new PinkasConnectionError(reason, {
        ...sent,
        outcomeUnknown: sent.outcomeUnknown || sent.changes,
        cause: reason === 'aborted' ? request.signal?.reason : cause,
      });
      return { ok: false, error, requestedDelayMs: undefined };
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', end);
    }
    const facts = responseFacts(response, sent.idempotencyKey, sent.attempts);
    this.#report(facts);
    const body = parsed(text);
    if (response.ok && typeof body === 'object' && body !== null) {
      return { ok: true, answer: { body: body as Body, response: facts } };
    }
    return {
      ok: false,
      error: errorOf(response, body, sent),
      requestedDelayMs: retryAfterMs(response.headers.get('retry-after'), this.#timing.now()),
    };
  }

  /** Calls `onResponse`; its failure must not lose the response. */
  #report(facts: ResponseFacts): void {
    try {
      // A function that is asynchronous passes for one that answers nothing; its rejection would end the process.
      Promise.resolve<unknown>(this.#onResponse(facts)).catch(() => {});
    } catch {
      // Dropped, as the option says.
    }
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

const aborted = (sent: Sent, cause: unknown) => ({
  ok: false as const,
  error: new PinkasConnectionError('aborted', { ...sent, cause }),
});

/** A text as a header: the API reads it as UTF-8, where headers are bytes. */
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
    if (signal?.aborted) {
      return reject(signal.reason);
    }
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

const isInProgress = (error: PinkasError | PinkasConnectionError): boolean =>
  error instanceof PinkasError && error.is('request_in_progress');
