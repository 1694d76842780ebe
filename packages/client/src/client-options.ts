import type { ResponseFacts } from './response-facts.js';
import type { RetryOptions } from './retry.js';
import type { CreatedDocument } from './types.js';

/** How to reach the interface. */
export interface PinkasClientOptions {
  /** The base address with its version, for example `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** The key. It is sent in a header and stands in no error and no inspection. */
  readonly apiKey: string;
  /** Another `fetch`, for example one with a proxy or a connection pool. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** The longest wait for one try, in milliseconds, from 1. Default 35,000: the interface answers a creation within 30 seconds. */
  readonly timeoutMs?: number;
  readonly retry?: RetryOptions;
  /**
   * Called with each answer, refusals included; for metrics and logs. What it throws, or rejects with, is dropped: it may
   * never cost the caller a document that is issued.
   */
  readonly onResponse?: (facts: ResponseFacts) => void;
  /** Time and chance, for tests. */
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
  /** The longest wait for one try of this call, in milliseconds, from 1. */
  readonly timeoutMs?: number | undefined;
}

/** What a creation takes. */
export interface CreateOptions extends CallOptions {
  /**
   * Names the document: up to 128 characters, the same on every try, also after a restart of your program. Without one the
   * client makes a random key, which protects the tries of this call alone.
   */
  readonly idempotencyKey?: string | undefined;
}

/** An issued document, and how it came about. */
export interface CreateResult {
  readonly document: CreatedDocument;
  /** Whether an earlier request with the same key had issued it. */
  readonly replayed: boolean;
  /** The key that was used. */
  readonly idempotencyKey: string;
  readonly response: ResponseFacts;
}
