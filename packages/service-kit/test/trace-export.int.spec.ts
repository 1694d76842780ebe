import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startTestCollector, type TestCollector } from '@pinkas/testkit';
import { createLogger, currentContext, Metrics, newContext, SpanKind, Tracing } from '../src/index.js';
import { exportTraces } from '../src/tracing/trace-export.js';
import { openTracing } from '../src/tracing/tracing.js';

describe('what is sent to a collector', () => {
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
    tracing.enter(
      newContext(1_000),
      { traceparent },
      'request',
      { kind: SpanKind.SERVER, begins: true },
      async () => currentContext(),
    );

  it('never grows beyond its bound, however long the collector hangs', async () => {
    collector.mode = 'hangs';
    const { tracer, flush } = exportTraces(options());
    for (let made = 0; made < 1_000; made += 1) tracer.startSpan('one').end();
    await eventually('the first batch is on its way', () => collector.waiting() > 0);
    for (let made = 0; made < 9_000; made += 1) tracer.startSpan('one').end();
    collector.mode = 'takes';
    await flush();
    expect(collector.spans().length).toBeGreaterThan(0);
    expect(collector.spans().length).toBeLessThanOrEqual(2_048);
  });

  it('is the share that was chosen, but for what a caller has decided', async () => {
    const tracing = await openTracing(options({ share: 0 }));
    const sampled = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const unrecorded = await request(tracing);
    await request(tracing, sampled);
    await tracing.close();
    expect(collector.spans().map((span) => span.traceId)).toEqual(['a'.repeat(32)]);
    // It has an id all the same, for the log and for those that it asks.
    expect(unrecorded?.trace?.span.spanContext().traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is nothing where there is none: then no work bears a span', async () => {
    const tracing = await openTracing(options({ endpoint: '' }));
    expect(tracing).toBe(Tracing.off);
    expect((await request(tracing, `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`))?.trace).toBeUndefined();
    await tracing.close();
    expect(collector.bodies).toEqual([]);
  });
});
