import {
  type Attributes,
  INVALID_SPAN_CONTEXT,
  trace as otel,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
} from '@opentelemetry/api';
import type { TraceCarrier } from '@pinkas/contracts';
import { currentContext, type Subject, type TraceInHand, withContext } from '../context.js';
import { Problem } from '../problem.js';
import { carrierOf } from './trace-carrier.js';

export { type Attributes, type Span, SpanKind };

/** A span that is recorded nowhere. */
export const noSpan: Span = otel.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** How a span is described. Attributes hold words of ours and ids; never what a caller has written, and nothing personal. */
export interface SpanOptions {
  readonly kind: SpanKind;
  readonly attributes?: Attributes;
}

/**
 * Does a part of the work in hand in a span of its own, where that work belongs to a trace; else simply does it.
 * @param name few different ones: no ids.
 * @throws what `work` throws; then the span says so, without the error's words, which may quote a person.
 */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const context = currentContext();
  if (!context?.trace) return work(noSpan);
  const trace = childOf(context.trace, name, options);
  return withContext({ ...context, trace }, () => ending(trace.span, work));
}

/** A new span below the one in hand. */
export function childOf({ tracer, span }: TraceInHand, name: string, options: SpanOptions): TraceInHand {
  return { tracer, span: tracer.startSpan(name, options, otel.setSpan(ROOT_CONTEXT, span)) };
}

/** Does work and ends its span, whatever comes of it. */
export async function ending<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work(span);
  } catch (error) {
    markFailed(span, errorType(error), !(error instanceof Problem) || error.status >= 500);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Says that a span's work failed.
 * @param type a code or the name of an error.
 * @param isFault false of a refusal, which is an answer as well.
 */
export function markFailed(span: Span, type: string, isFault = true): void {
  span.setAttribute('error.type', type);
  if (isFault) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Says what the work in hand is about: its span and its lines in the log bear the ids from here on. */
export function noteSubject(subject: Subject): void {
  const context = currentContext();
  if (!context) return;
  Object.assign(context.subject, definedOf(subject));
  context.trace?.span.setAttributes(attributesOf(subject));
}

/** The attributes of a span that is about a document. */
export function attributesOf({ business_id, document_id }: Subject): Attributes {
  return {
    ...(business_id === undefined ? {} : { 'pinkas.business.id': business_id }),
    ...(document_id === undefined ? {} : { 'pinkas.document.id': document_id }),
  };
}

const definedOf = ({ business_id, document_id }: Subject): Subject => ({
  ...(business_id === undefined ? {} : { business_id }),
  ...(document_id === undefined ? {} : { document_id }),
});

/** Where the work in hand stands in its trace, to be written into a message or a row; null where it is in none. */
export function currentCarrier(): TraceCarrier | null {
  const span = currentContext()?.trace?.span;
  return span ? carrierOf(span.spanContext()) : null;
}

/** The same as JSON, for a column of a table. */
export function currentTraceJson(): string | null {
  const carrier = currentCarrier();
  return carrier && JSON.stringify(carrier);
}

/** What kind of error it is, in one word of a closed set. */
function errorType(error: unknown): string {
  if (error instanceof Problem) return error.code;
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)) return code;
  return error instanceof Error ? error.name : 'unknown';
}
