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
import { withTimeout } from '../concurrency/with-timeout.js';
import type { Logger } from '../process/logger.js';
import type { Counter, Metrics } from '../process/metrics.js';

/** How many spans are buffered, about 2 MB; more are dropped. */
const bufferedMax = 2_048;
const batchMax = 512;
/** How long spans are collected for a batch. */
const batchPauseMs = 1_000;
/** How long the export of a batch may take, retries included. */
const exportTimeoutMs = 4_000;
/** How long the last batches may take at shutdown. */
const flushTimeoutMs = 2_000;
/** An unreachable collector is logged once a minute, not once a batch. */
const warnEveryMs = 60_000;
/** Attributes are ids and short words. */
const attributeLengthMax = 200;

/** The collector of spans, and the share that is exported. */
export interface TracingOptions {
  /** The service's name at the collector. */
  readonly serviceName: string;
  /** The address of an OTLP collector over HTTP, without `/v1/traces`; empty: tracing is off. */
  readonly endpoint: string;
  /** The share of the traces begun here that is recorded, from 0 to 1. */
  readonly share: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** A tracer that exports its spans to an OTLP collector over HTTP, as JSON, in batches. */
export function exportTraces({ serviceName, endpoint, share, logger, metrics }: TracingOptions): {
  tracer: Tracer;
  flush: () => Promise<void>;
} {
  const spans = metrics.counter(
    'pinkas_spans_total',
    'Spans by outcome: made, and of these exported to the collector (taken); the rest is buffered or lost.',
    ['outcome'],
  );
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  const warn = (error: Error | undefined) => {
    if (performance.now() - warnedAtMs < warnEveryMs) {
      return;
    }
    warnedAtMs = performance.now();
    // Not the error itself: it contains the collector's response.
    logger.warn({ reason: error?.name ?? 'unknown' }, 'span export failed');
  };
  const exporter = countExports(
    new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportTimeoutMs }),
    spans,
    warn,
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
      new SpanCounter(spans),
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: bufferedMax,
        maxExportBatchSize: batchMax,
        scheduledDelayMillis: batchPauseMs,
        exportTimeoutMillis: exportTimeoutMs + 1_000,
      }),
    ],
  });
  return {
    tracer: provider.getTracer('pinkas'),
    // A collector that is unavailable must not delay the end of the process.
    flush: () =>
      withTimeout(
        provider.shutdown().catch(() => {}),
        flushTimeoutMs,
        () => {},
      ),
  };
}

/** Counts the spans that are made. */
class SpanCounter extends NoopSpanProcessor {
  constructor(private readonly spans: Counter<'outcome'>) {
    super();
  }

  override onEnd(): void {
    this.spans.inc({ outcome: 'made' });
  }
}

/** An exporter that counts the spans which the collector has accepted, and reports errors. */
function countExports(
  exporter: SpanExporter,
  spans: Counter<'outcome'>,
  onError: (error: Error | undefined) => void,
): SpanExporter {
  return {
    export: (batch: ReadableSpan[], done) =>
      exporter.export(batch, (result) => {
        if (result.code === 0) {
          spans.inc({ outcome: 'taken' }, batch.length);
        } else {
          onError(result.error);
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
