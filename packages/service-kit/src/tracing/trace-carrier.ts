import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api';
import type { TraceCarrier } from '@pinkas/contracts';

/** Version, trace, parent, flags; a later version may add more behind them. */
const traceparentPattern = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** What somebody says of the trace that a message belongs to; checked by nobody yet. */
export interface SaidTrace {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/**
 * Reads W3C Trace Context (https://www.w3.org/TR/trace-context/).
 * @returns undefined where it is missing or malformed; then a new trace begins. A malformed tracestate is dropped alone.
 */
export function readCarrier(said: SaidTrace | null | undefined): SpanContext | undefined {
  const match = traceparentPattern.exec(said?.traceparent ?? '');
  if (!match) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  if (version === '00' && more !== undefined) return undefined;
  const context: SpanContext = {
    traceId,
    spanId,
    // Of the flags only 'sampled' is known.
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(said?.tracestate ? { traceState: createTraceState(said.tracestate) } : {}),
  };
  return isSpanContextValid(context) ? context : undefined;
}

/** Writes the place of a span in its trace; null of a span that is in none. */
export function carrierOf(context: SpanContext): TraceCarrier | null {
  if (!isSpanContextValid(context)) return null;
  const flags = context.traceFlags.toString(16).padStart(2, '0');
  const tracestate = context.traceState?.serialize() ?? '';
  return {
    traceparent: `00-${context.traceId}-${context.spanId}-${flags}`,
    // No more than W3C wants to be passed on at the least.
    ...(tracestate === '' || tracestate.length > 512 ? {} : { tracestate }),
  };
}
