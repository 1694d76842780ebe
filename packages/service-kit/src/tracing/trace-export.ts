import { randomUUID } from 'node:crypto';
import type { Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NoopSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Counter } from '../metrics.js';
import type { TracingOptions } from './tracing.js';

/** So many spans wait for the collector at the most, about 2 MB; what comes beyond them is dropped. */
const waitingMax = 2_048;
const batchMax = 512;
/** How long spans wait to become a batch. */
const batchPauseMs = 1_000;
/** How long the collector may take for a batch, its own retries included. */
const exportTimeoutMs = 4_000;
/** How long the last batches may take when the process ends. */
const flushTimeoutMs = 2_000;
/** A collector that is away is one line in the log a minute, not one a batch. */
const complaintEveryMs = 60_000;
/** Ids and short words: what is longer has no place in a span. */
const attributeLengthMax = 200;

/** A tracer whose spans go to an OTLP collector over HTTP, as JSON, in batches beside the work. */
export function exportTraces({ serviceName, endpoint, share, logger, metrics }: TracingOptions): {
  tracer: Tracer;
  flush: () => Promise<void>;
} {
  const spans = metrics.counter(
    'pinkas_spans_total',
    'Spans that were made to be recorded, and of these those that the collector has taken; the rest waits, or was lost.',
    ['outcome'],
  );
  let complainedAtMs = Number.NEGATIVE_INFINITY;
  const complain = (error: Error | undefined) => {
    if (performance.now() - complainedAtMs < complaintEveryMs) return;
    complainedAtMs = performance.now();
    // Not the error itself: it holds what the collector has answered.
    logger.warn(
      { reason: error?.name ?? 'unknown' },
      'the collector does not take the traces; they are dropped',
    );
  };
  const exporter = told(
    new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportTimeoutMs }),
    spans,
    complain,
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.namespace': 'pinkas',
      'service.instance.id': randomUUID(),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanLimits: { attributeValueLengthLimit: attributeLengthMax },
    spanProcessors: [
      new Counted(spans),
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: waitingMax,
        maxExportBatchSize: batchMax,
        scheduledDelayMillis: batchPauseMs,
        exportTimeoutMillis: exportTimeoutMs + 1_000,
      }),
    ],
  });
  return {
    tracer: provider.getTracer('pinkas'),
    flush: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, flushTimeoutMs);
      });
      // A collector that is away must not hold up the end of a process.
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}

/** Counts the spans that are made. */
class Counted extends NoopSpanProcessor {
  constructor(private readonly spans: Counter<'outcome'>) {
    super();
  }

  override onEnd(): void {
    this.spans.inc({ outcome: 'made' });
  }
}

/** An exporter that tells what became of its batches. */
function told(
  exporter: SpanExporter,
  spans: Counter<'outcome'>,
  complain: (error: Error | undefined) => void,
): SpanExporter {
  return {
    export: (batch: ReadableSpan[], done) =>
      exporter.export(batch, (result) => {
        if (result.code === 0) spans.inc({ outcome: 'taken' }, batch.length);
        else complain(result.error);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
