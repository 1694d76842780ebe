import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Span, Tracer } from '@opentelemetry/api';

/** The span that the current work runs in. */
export interface ActiveSpan {
  readonly tracer: Tracer;
  readonly span: Span;
}

/** The ids of what a piece of work is about. */
export interface LogContext {
  business_id?: string | undefined;
  document_id?: string | undefined;
}

/** The context that one request carries through every service that works on it. */
export interface CallContext {
  /** The X-Request-Id of the HTTP request. */
  readonly requestId: string;
  /**
   * When the caller no longer waits: milliseconds on the clock of `performance`, which runs evenly while the machine's clock may
   * be set, and means nothing to another process.
   */
  readonly deadlineMs: number;
  /** Absent where the work belongs to no trace, or tracing is off. */
  readonly trace?: ActiveSpan;
  /** For the log; completed as the work learns more. */
  readonly logContext: LogContext;
}

const storage = new AsyncLocalStorage<CallContext>();

/** Runs `work` in a context, which everything that it awaits sees. */
export function withContext<T>(context: CallContext, work: () => T): T {
  return storage.run(context, work);
}

/** The context of the current work, if it belongs to a request. */
export function currentContext(): CallContext | undefined {
  return storage.getStore();
}

/** The whole milliseconds until the deadline of the current context; at most `atMostMs`, also where there is no context. */
export function remainingMs(atMostMs: number): number {
  const context = currentContext();
  return context ? Math.floor(Math.min(atMostMs, context.deadlineMs - performance.now())) : atMostMs;
}

/** A new context with a deadline of its own, and a new request id unless one is given. */
export function newContext(timeoutMs: number, requestId: string = randomUUID()): CallContext {
  return { requestId, deadlineMs: performance.now() + timeoutMs, logContext: {} };
}

/** A context for work that outlives the current one: of the same request and trace, with its own deadline. */
export function continuedContext(timeoutMs: number): CallContext {
  const current = currentContext();
  return {
    ...current,
    ...newContext(timeoutMs, current?.requestId),
    ...(current && { logContext: current.logContext }),
  };
}
