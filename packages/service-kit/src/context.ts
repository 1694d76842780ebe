import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Span, Tracer } from '@opentelemetry/api';

/** Where the work in hand stands in its trace. */
export interface TraceInHand {
  readonly tracer: Tracer;
  readonly span: Span;
}

/** What a piece of work is about. */
export interface Subject {
  business_id?: string | undefined;
  document_id?: string | undefined;
}

/** What travels with one request through every service that works on it. */
export interface CallContext {
  /** The X-Request-Id of the HTTP request, in every log line and every message. */
  readonly requestId: string;
  /** The instant, in milliseconds since 1970, after which nobody waits for the answer any more. */
  readonly deadlineMs: number;
  /** Absent where the work belongs to no trace, or traces are off. */
  readonly trace?: TraceInHand;
  /** What the work is about, as far as it is known by now; for the log. */
  readonly subject: Subject;
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
  return { requestId, deadlineMs: Date.now() + timeoutMs, subject: {} };
}

/** A context for what goes on when the work in hand has ended: of the same request and trace, with a time of its own. */
export function continuedContext(timeoutMs: number): CallContext {
  const current = currentContext();
  return {
    ...current,
    ...newContext(timeoutMs, current?.requestId),
    ...(current && { subject: current.subject }),
  };
}
