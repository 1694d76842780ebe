import { trace as otel, ROOT_CONTEXT, type Span, type Tracer } from '@opentelemetry/api';
import { type CallContext, type Subject, withContext } from '../context.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { attributesOf, ending, noSpan, type SpanOptions } from './spans.js';
import { readCarrier, type SaidTrace } from './trace-carrier.js';

/** How work that comes from outside of this process is described. */
export interface EntranceOptions extends SpanOptions {
  /** What the work is about, as far as that is known before it begins. */
  readonly subject?: Subject;
  /** Whether a trace begins here where the message names none. */
  readonly begins?: boolean;
}

/**
 * The traces of one process, injected by its class. Off unless a collector is configured: then nothing is recorded, kept or
 * sent. A trace begins with an HTTP request alone; whatever is not part of one (a sweep's question, a probe) makes no span.
 */
export class Tracing {
  /** Records nothing. */
  static readonly off = new Tracing(undefined);

  constructor(
    private readonly tracer: Tracer | undefined,
    private readonly flush: () => Promise<void> = async () => {},
  ) {}

  /**
   * Does work that came by a message, in a span below the one that the message names.
   * @param context what the work runs in.
   * @param said what the message says of its trace.
   */
  enter<T>(
    context: CallContext,
    said: SaidTrace | null,
    name: string,
    { subject = {}, begins = false, kind, attributes = {} }: EntranceOptions,
    work: (span: Span) => Promise<T>,
  ): Promise<T> {
    const about = { ...context, subject: { ...context.subject, ...subject } };
    const parent = this.tracer && readCarrier(said);
    if (!this.tracer || (!parent && !begins)) return withContext(about, () => work(noSpan));
    const span: Span = this.tracer.startSpan(
      name,
      { kind, attributes: { ...attributes, ...attributesOf(subject) } },
      parent ? otel.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT,
    );
    return withContext({ ...about, trace: { tracer: this.tracer, span } }, () => ending(span, work));
  }

  /** Sends what is recorded still, within two seconds; what the collector does not take by then is lost. */
  close(): Promise<void> {
    return this.flush();
  }
}

/** Where traces go, and how many of them. */
export interface TracingOptions {
  /** The name of the service, as the collector is told it. */
  readonly serviceName: string;
  /** The address of an OTLP collector over HTTP, without `/v1/traces`; empty: traces are off. */
  readonly endpoint: string;
  /** The share of the traces that begin here that is recorded, from 0 to 1. */
  readonly share: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Opens the traces of one process. What they need is loaded only where they are on. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  if (options.endpoint === '') return Tracing.off;
  const { exportTraces } = await import('./trace-export.js');
  const { tracer, flush } = exportTraces(options);
  return new Tracing(tracer, flush);
}
