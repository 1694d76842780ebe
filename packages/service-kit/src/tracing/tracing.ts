import { trace as otel, ROOT_CONTEXT, type Span, type Tracer } from '@opentelemetry/api';
import { type CallContext, type LogContext, withContext } from '../process/context.js';
import { attributesOf, endSpanAfter, noSpan, type SpanOptions } from './spans.js';
import type { TracingOptions } from './trace-export.js';
import { type IncomingTraceHeaders, parseTraceHeaders } from './trace-headers.js';

/** The description of work that comes from outside of this process. */
interface EntrySpanOptions extends SpanOptions {
  /** The ids that are known before the work begins. */
  readonly logContext?: LogContext;
  /** Whether a trace begins here where the message has no trace headers. */
  readonly isRoot?: boolean;
}

/**
 * The tracing of one process, injected by its class. Off unless a collector is configured: then nothing is recorded or sent. A trace
 * begins with an HTTP request only; work that is not part of one (a reconciler's call, a probe) makes no span.
 */
export class Tracing {
  /** Records no spans. */
  static readonly off = new Tracing(undefined);

  constructor(
    private readonly tracer: Tracer | undefined,
    private readonly flush: () => Promise<void> = async () => {},
  ) {}

  /**
   * Runs work that a request, an event or a job started, in a span below the one of its trace headers.
   * @param context the context of the work.
   * @param headers the trace headers of what started the work.
   */
  startEntrySpan<T>(
    context: CallContext,
    headers: IncomingTraceHeaders | null,
    name: string,
    { logContext = {}, isRoot = false, kind, attributes = {} }: EntrySpanOptions,
    work: (span: Span) => Promise<T>,
  ): Promise<T> {
    const extended = { ...context, logContext: { ...context.logContext, ...logContext } };
    const parent = this.tracer && parseTraceHeaders(headers);
    if (!this.tracer || (!parent && !isRoot)) {
      return withContext(extended, () => work(noSpan));
    }
    const span: Span = this.tracer.startSpan(
      name,
      { kind, attributes: { ...attributes, ...attributesOf(logContext) } },
      parent ? otel.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT,
    );
    return withContext({ ...extended, trace: { tracer: this.tracer, span } }, () => endSpanAfter(span, work));
  }

  /** Exports the buffered spans within two seconds; the rest is lost. */
  close(): Promise<void> {
    return this.flush();
  }
}

/** Opens the tracing of one process. Its libraries are loaded only where it is on. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  if (options.endpoint === '') {
    return Tracing.off;
  }
  const { exportTraces } = await import('./trace-export.js');
  const { tracer, flush } = exportTraces(options);
  return new Tracing(tracer, flush);
}
