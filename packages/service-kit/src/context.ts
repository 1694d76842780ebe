import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** What travels with one request through every service that works on it. */
export interface CallContext {
  /** The X-Request-Id of the HTTP request, in every log line and every message. */
  readonly requestId: string;
  /** The instant, in milliseconds since 1970, after which nobody waits for the answer any more. */
  readonly deadlineMs: number;
}

const storage = new AsyncLocalStorage<CallContext>();

/** Runs `work` inside a context; everything it awaits sees the same one. */
export function withContext<T>(context: CallContext, work: () => T): T {
  return storage.run(context, work);
}

/** The context of the work in hand, if it belongs to a request. */
export function currentContext(): CallContext | undefined {
  return storage.getStore();
}

/** The milliseconds left until the deadline of the work in hand, and `atMostMs` where that is less or there is none. */
export function remainingMs(atMostMs: number): number {
  const context = currentContext();
  return context ? Math.min(atMostMs, context.deadlineMs - Date.now()) : atMostMs;
}

/** A context for work that no request asked for, such as a consumer's or a timer's. */
export function newContext(timeoutMs: number, requestId: string = randomUUID()): CallContext {
  return { requestId, deadlineMs: Date.now() + timeoutMs };
}
