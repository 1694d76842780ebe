import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startTestCollector, type TestCollector } from '@pinkas/testkit';
import { createLogger, currentContext, Metrics, newContext, SpanKind, Tracing } from '../src/index.js';
import { exportTraces } from '../src/tracing/trace-export.js';
import { openTracing } from '../src/tracing/tracing.js';

describe('trace export', () => {
  let collector: TestCollector;
  beforeEach(async () => {
    collector = await startTestCollector();
  });
  afterEach(() => collector.stop());

  const options = (change: { share?: number; endpoint?: string } = {}) => ({
    serviceName: 'pinkas-probe',
    endpoint: collector.url,
    share: 1,
    logger: createLogger('test', 'silent'),
    metrics: new Metrics(),
    ...change,
  });
  const request = (tracing: Tracing, traceparent?: string) =>
    tracing.startEntrySpan(
      newContext(1_000),
      { traceparent },
      'request',
      { kind: SpanKind.SERVER, isRoot: true },
      async () => currentContext(),
    );

  it('the span buffer is bounded while the collector hangs', async () => {
    collector.mode = 'hangs';
    const { tracer, flush } = exportTraces(options());
    for (let made = 0; made < 1_000; made += 1) {
      tracer.startSpan('one').end();
    }
    await eventually('the first batch is on its way', () => collector.waiting() > 0);
    for (let made = 0; made < 9_000; made += 1) {
      tracer.startSpan('one').end();
    }
    collector.mode = 'takes';
    await flush();
    expect(collector.spans().length).toBeGreaterThan(0);
    expect(collector.spans().length).toBeLessThanOrEqual(2_048);
  });

  it('the configured share of traces is recorded, unless the caller decided', async () => {
    const tracing = await openTracing(options({ share: 0 }));
    const sampled = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const unrecorded = await request(tracing);
    await request(tracing, sampled);
    await tracing.close();
    expect(collector.spans().map((span) => span.traceId)).toEqual(['a'.repeat(32)]);
    // It has an id all the same, for the log and for those that it asks.
    expect(unrecorded?.trace?.span.spanContext().traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('no spans are recorded without a collector', async () => {
    const tracing = await openTracing(options({ endpoint: '' }));
    expect(tracing).toBe(Tracing.off);
    expect((await request(tracing, `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`))?.trace).toBeUndefined();
    await tracing.close();
    expect(collector.bodies).toEqual([]);
  });
});
