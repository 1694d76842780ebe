import { compileTolerant, type TraceCarrier } from '@pinkas/contracts';
import type { MsgHdrs } from 'nats';
import type { TSchema } from 'typebox';
import type { CallContext } from '../context.js';
import type { SaidTrace } from '../tracing/trace-carrier.js';

/** The headers of requests, replies and events. The two `Nats-Service-…` ones are those of NATS ADR-32. */
export const header = {
  requestId: 'Pinkas-Request-Id',
  /** Milliseconds since 1970, after which nobody waits for the reply. */
  deadline: 'Pinkas-Deadline',
  /** Those of W3C Trace Context. */
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  errorText: 'Nats-Service-Error',
  errorStatus: 'Nats-Service-Error-Code',
} as const;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Plain JSON in UTF-8: what `nats request` from a terminal would send. */
export function encode(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

/** The JSON value of a message, or undefined where it is none. Never throws. */
export function decode(data: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(data));
  } catch {
    return undefined;
  }
}

/** Writes a context into headers. */
export function writeContext(headers: MsgHdrs, context: CallContext): void {
  headers.set(header.requestId, context.requestId);
  headers.set(header.deadline, String(context.deadlineMs));
}

/**
 * Compiles a schema into what makes a value ready to be written: members that the schema does not name stay at home, also
 * those of a row that a newer release has stored. What does not match even so is left as it is: its reader refuses it.
 */
export function fitted(schema: TSchema): (value: unknown) => unknown {
  const check = compileTolerant(schema);
  return (value) => {
    const checked = check(value);
    return checked.ok ? checked.value : value;
  };
}

/** Writes the place in a trace into headers. */
export function writeTrace(headers: MsgHdrs, carrier: TraceCarrier | null): void {
  if (!carrier) return;
  headers.set(header.traceparent, carrier.traceparent);
  if (carrier.tracestate) headers.set(header.tracestate, carrier.tracestate);
}

/** What headers say of the trace that a message belongs to. */
export function saidTrace(headers: MsgHdrs | undefined): SaidTrace {
  return {
    traceparent: headers?.get(header.traceparent) || undefined,
    tracestate: headers?.get(header.tracestate) || undefined,
  };
}
