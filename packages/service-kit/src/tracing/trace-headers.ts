import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api';
import type { TraceHeaders } from '@pinkas/contracts';

/** Version, trace id, parent id, flags; a later version may append more. */
const traceparentPattern = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Trace headers as they were received, unvalidated. */
export interface IncomingTraceHeaders {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/**
 * Parses W3C Trace Context (https://www.w3.org/TR/trace-context/).
 * @returns undefined where it is missing or malformed: a new trace begins. A malformed tracestate is dropped alone.
 */
export function parseTraceHeaders(headers: IncomingTraceHeaders | null | undefined): SpanContext | undefined {
  const match = traceparentPattern.exec(headers?.traceparent ?? '');
  if (!match) {
    return undefined;
  }
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  if (version === '00' && more !== undefined) {
    return undefined;
  }
  const context: SpanContext = {
    traceId,
    spanId,
    // 'sampled' is the only flag that is defined.
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(headers?.tracestate ? { traceState: createTraceState(headers.tracestate) } : {}),
  };
  return isSpanContextValid(context) ? context : undefined;
}

/** The trace headers of a span; null where it belongs to no trace. */
export function traceHeadersOf(context: SpanContext): TraceHeaders | null {
  if (!isSpanContextValid(context)) {
    return null;
  }
  const flags = context.traceFlags.toString(16).padStart(2, '0');
  const tracestate = context.traceState?.serialize() ?? '';
  return {
    traceparent: `00-${context.traceId}-${context.spanId}-${flags}`,
    // W3C requires at least 512 characters to be propagated.
    ...(tracestate === '' || tracestate.length > 512 ? {} : { tracestate }),
  };
}
