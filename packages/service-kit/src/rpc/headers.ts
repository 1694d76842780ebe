import type { MsgHdrs } from '@nats-io/nats-core';
import type { TraceHeaders } from '@pinkas/contracts';
import type { IncomingTraceHeaders } from '../tracing/trace-headers.js';

/** The headers of requests, replies and events. `Nats-Service-…` are those of NATS ADR-32. */
export const header = {
  requestId: 'Pinkas-Request-Id',
  /** How many milliseconds the caller waits from now on. An instant would fail where two clocks differ. */
  remainingMs: 'Pinkas-Remaining-Ms',
  /** Those of W3C Trace Context. */
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  /** On a message that says only that a request is being handled. */
  progress: 'Pinkas-Progress',
  /** The id of the process that replies, where every process does. */
  process: 'Pinkas-Process',
  errorText: 'Nats-Service-Error',
  errorStatus: 'Nats-Service-Error-Code',
} as const;

/** Writes the request id, and how long the caller waits. */
export function writeContext(headers: MsgHdrs, requestId: string, remainingMs: number): void {
  headers.set(header.requestId, requestId);
  headers.set(header.remainingMs, String(remainingMs));
}

/** Writes the trace headers, where there are any. */
export function writeTraceHeaders(headers: MsgHdrs, trace: TraceHeaders | null): void {
  if (!trace) {
    return;
  }
  headers.set(header.traceparent, trace.traceparent);
  if (trace.tracestate) {
    headers.set(header.tracestate, trace.tracestate);
  }
}

/** Reads the trace headers, unvalidated. */
export function readTraceHeaders(headers: MsgHdrs | undefined): IncomingTraceHeaders {
  return {
    traceparent: headers?.get(header.traceparent) || undefined,
    tracestate: headers?.get(header.tracestate) || undefined,
  };
}
