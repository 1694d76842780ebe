import {
  type Attributes,
  INVALID_SPAN_CONTEXT,
  trace as otel,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
} from '@opentelemetry/api';
import type { TraceHeaders } from '@pinkas/contracts';
import { ApiError } from '../process/api-error.js';
import { type ActiveSpan, currentContext, type LogContext, withContext } from '../process/context.js';
import { traceHeadersOf } from './trace-headers.js';

export { type Attributes, type Span, SpanKind };

/** A span that is not recorded. */
export const noSpan: Span = otel.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** The description of a span. Attributes contain ids and words of a closed set; never a caller's text, and nothing personal. */
export interface SpanOptions {
  readonly kind: SpanKind;
  readonly attributes?: Attributes;
}

/**
 * Runs `work` in a span below the current one; without a span where the current work belongs to no trace.
 * @param name of a small set: no ids.
 * @throws what `work` throws; the span records its type only, since the message may contain personal data.
 */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const context = currentContext();
  if (!context?.trace) {
    return work(noSpan);
  }
  const trace = childOf(context.trace, name, options);
  return withContext({ ...context, trace }, () => endSpanAfter(trace.span, work));
}

/** A new span below another. */
export function childOf({ tracer, span }: ActiveSpan, name: string, options: SpanOptions): ActiveSpan {
  return { tracer, span: tracer.startSpan(name, options, otel.setSpan(ROOT_CONTEXT, span)) };
}

/** Runs `work`, and ends its span whatever the outcome. */
export async function endSpanAfter<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work(span);
  } catch (error) {
    markFailed(span, errorType(error), !(error instanceof ApiError) || error.status >= 500);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Marks a span as failed.
 * @param type a code or the name of an error.
 * @param isError false for an expected error of the caller: then only the type is recorded.
 */
export function markFailed(span: Span, type: string, isError = true): void {
  span.setAttribute('error.type', type);
  if (isError) {
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

/** Adds ids to the current context: its span and its log lines have them from here on. */
export function setLogContext(logContext: LogContext): void {
  const context = currentContext();
  if (!context) {
    return;
  }
  Object.assign(context.logContext, definedOf(logContext));
  context.trace?.span.setAttributes(attributesOf(logContext));
}

/** The span attributes of a log context. */
export function attributesOf({ business_id, document_id }: LogContext): Attributes {
  return {
    ...(business_id === undefined ? {} : { 'pinkas.business.id': business_id }),
    ...(document_id === undefined ? {} : { 'pinkas.document.id': document_id }),
  };
}

const definedOf = ({ business_id, document_id }: LogContext): LogContext => ({
  ...(business_id === undefined ? {} : { business_id }),
  ...(document_id === undefined ? {} : { document_id }),
});

/** The trace headers of the current span, for a message or a row; null where there is no trace. */
export function currentTraceHeaders(): TraceHeaders | null {
  const span = currentContext()?.trace?.span;
  return span ? traceHeadersOf(span.spanContext()) : null;
}

/** The same as JSON, for a column of a table. */
export function currentTraceJson(): string | null {
  const headers = currentTraceHeaders();
  return headers && JSON.stringify(headers);
}

/** The type of an error, of a closed set. */
function errorType(error: unknown): string {
  if (error instanceof ApiError) {
    return error.code;
  }
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)) {
    return code;
  }
  return error instanceof Error ? error.name : 'unknown';
}
