import type { ResponseFacts } from './response-facts.js';
import type { RetryOptions } from './retry.js';
import type { IssuedDocument } from './types.js';

/** How to reach the API. */
export interface PinkasClientOptions {
  /** The base address with its version, for example `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** The key. It is sent in a header; no error and no inspection contains it. */
  readonly apiKey: string;
  /** Another `fetch`, for example one with a proxy or a connection pool. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * The time limit of one attempt, in milliseconds, at least 1. Default 25,000: the API responds to a creation or a cancellation
   * within 15 s, to anything else within 5 s.
   */
  readonly timeoutMs?: number;
  readonly retry?: RetryOptions;
  /**
   * Called with every response, errors included, for metrics and logs. Its exceptions and rejections are ignored: they must
   * not lose the caller an issued document.
   */
  readonly onResponse?: (facts: ResponseFacts) => void;
  /** Clock and randomness, for tests. */
  readonly timing?: Partial<Timing>;
}

/** What the client takes from its surroundings beside the network. */
export interface Timing {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Resolves after so many milliseconds, or rejects as soon as the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, its waits included. */
  readonly signal?: AbortSignal | undefined;
  /** The time limit of one attempt of this call, in milliseconds, at least 1. */
  readonly timeoutMs?: number | undefined;
}

/** What a creation takes. */
export interface CreateOptions extends CallOptions {
  /**
   * Names the document: up to 128 characters, the same in every attempt, also after a restart of your program. Without
   * one the client generates a random key, which protects the attempts of this call only.
   */
  readonly idempotencyKey?: string | undefined;
}

/** An issued document, and how it came about. */
export interface CreateResult {
  readonly document: IssuedDocument;
  /** Whether an earlier request with the same key had issued it. */
  readonly replayed: boolean;
  /** The key that was used. */
  readonly idempotencyKey: string;
  readonly response: ResponseFacts;
}
