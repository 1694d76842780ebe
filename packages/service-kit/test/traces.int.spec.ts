import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import { headers as natsHeaders } from '@nats-io/nats-core';
import { eventSubject, getUsage, messageDue, messaging } from '@pinkas/contracts';
import {
  type CollectedSpan,
  eventually,
  type ServiceUnderTest,
  scrape,
  startTestCollector,
  type TestCollector,
} from '@pinkas/testkit';
import { createLogger, currentContext, Metrics, newContext, SpanKind, Tracing } from '../src/index.js';
import { exportTraces } from '../src/tracing/trace-export.js';
import { openTracing } from '../src/tracing/tracing.js';
import { newEvent, type ProbeTables, probe, startProbe } from './probe-service.js';
import { PublishingService } from './publishing-service.js';

/** A trace that somebody has begun. */
function begun(sampled = true): { traceId: string; spanId: string; traceparent: string } {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-0${sampled ? 1 : 0}` };
}

describe('the traces of a service', () => {
  let collector: TestCollector;
  let tested: ServiceUnderTest<ProbeTables>;
  beforeAll(async () => {
    collector = await startTestCollector();
    tested = await startProbe({ otlpEndpoint: collector.url, reconcileEveryMs: 50 });
  });
  afterEach(() => {
    collector.mode = 'takes';
    probe.answer = async () => 7;
    probe.handled = async () => {};
  });
  afterAll(async () => {
    await tested.stop();
    await collector.stop();
  });

  const ask = async (traceparent: string | null, change: object = {}) => {
    const headers = natsHeaders();
    if (traceparent !== null) {
      headers.set('traceparent', traceparent);
    }
    const request = JSON.stringify({ business_id: randomUUID(), key_id: randomUUID(), ...change });
    return tested.network.connection.request(getUsage.subject, request, { timeout: 60_000, headers });
  };
  const publish = async (traceparent: string, event = newEvent()) => {
    const headers = natsHeaders();
    headers.set('traceparent', traceparent);
    await jetstream(tested.network.connection).publish(
      eventSubject(messageDue, event.document.id),
      JSON.stringify(event),
      {
        msgID: randomUUID(),
        headers,
      },
    );
    return event;
  };
  const spansOf = (traceId: string) => collector.spans().filter((span) => span.traceId === traceId);
  const spanOf = (traceId: string, wanted: (span: CollectedSpan) => boolean = () => true) =>
    eventually('the span has come', () => spansOf(traceId).find(wanted));

  it('a request in a trace has a span below its caller, with the business id', async () => {
    const { traceId, spanId, traceparent } = begun();
    const business_id = randomUUID();
    await ask(traceparent, { business_id });
    expect(await spanOf(traceId)).toMatchObject({
      service: 'pinkas-delivery',
      parentSpanId: spanId,
      name: getUsage.subject,
      kind: 'server',
      failed: false,
      attributes: { 'rpc.system': 'nats', 'rpc.service': 'issuing', 'pinkas.business.id': business_id },
    });
  });

  it('a failed request records its code and not its message', async () => {
    probe.answer = () => Promise.reject(new Error('about customer@example.com'));
    const { traceId, traceparent } = begun();
    await ask(traceparent);
    expect(await spanOf(traceId)).toMatchObject({
      failed: true,
      attributes: { 'error.type': 'internal_error' },
    });
    // A refusal is an answer.
    const refused = begun();
    const id = randomUUID();
    await ask(refused.traceparent, { business_id: id, key_id: id });
    expect(await spanOf(refused.traceId)).toMatchObject({
      failed: false,
      attributes: { 'error.type': 'not_found' },
    });
    expect(collector.bodies.join()).not.toContain('customer@example.com');
  });

  it('an RPC begins no trace, and malformed trace headers are ignored', async () => {
    const before = collector.spans().length;
    await ask(null);
    await ask('rubbish');
    await ask(begun(false).traceparent);
    const { traceId, traceparent } = begun();
    await ask(traceparent);
    await spanOf(traceId);
    expect(collector.spans().length).toBe(before + 1);
  });

  it('each handled event has a span with the document id', async () => {
    const { traceId, spanId, traceparent } = begun();
    const { document } = await publish(traceparent);
    expect(await spanOf(traceId)).toMatchObject({
      parentSpanId: spanId,
      name: 'process probe-effects',
      kind: 'consumer',
      attributes: {
        'messaging.system': 'nats',
        'messaging.consumer.group.name': 'probe-effects',
        'messaging.destination.template': `${messageDue.subject}.{document}`,
        'pinkas.document.id': document.id,
        'pinkas.business.id': document.business_id,
      },
    });
  });

  it('each failed attempt and each redrive has a span', async () => {
    probe.handled = () => Promise.reject(new Error('not yet'));
    const { traceId, spanId, traceparent } = begun();
    const event = await publish(traceparent);
    await eventually('it was tried again', () => spansOf(traceId).filter((span) => span.failed).length >= 2);
    const { db } = tested.database;
    // What the last of many attempts leaves.
    const stream = { subject: eventSubject(messageDue, event.document.id), body: JSON.stringify(event) };
    const { id } = await db
      .insertInto('dead_letter')
      .values({
        ...stream,
        consumer: 'probe-effects',
        message_id: randomUUID(),
        request_id: null,
        trace: JSON.stringify({ traceparent }),
        reason: 'given up',
        attempts: 10,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    probe.handled = async () => {};
    await tested.network.call(messaging.delivery.redriveDeadLetter, { id });
    expect(
      await spanOf(traceId, (span) => !span.failed && span.name === 'process probe-effects'),
    ).toMatchObject({ parentSpanId: spanId });
  });

  it('a dead letter stores its trace', async () => {
    const { traceparent } = begun();
    const subject = eventSubject(messageDue, randomUUID());
    const headers = natsHeaders();
    headers.set('traceparent', traceparent);
    await jetstream(tested.network.connection).publish(subject, '{}', { msgID: randomUUID(), headers });
    const letter = await eventually('it is given up', () =>
      tested.database.db
        .selectFrom('dead_letter')
        .select('trace')
        .where('subject', '=', subject)
        .executeTakeFirst(),
    );
    expect(letter.trace).toEqual({ traceparent });
  });

  it('the trace passes through the outbox to the stream, the reconciler and the handler', async () => {
    const owner = await PublishingService.start(tested.nats.url, { otlpEndpoint: collector.url });
    try {
      const { traceId, spanId, traceparent } = begun();
      const event = newEvent();
      await owner.publishInTrace({ traceparent }, event);
      const published = await spanOf(traceId, (span) => span.kind === 'producer');
      expect(published).toMatchObject({
        service: 'pinkas-issuing',
        name: `publish ${messageDue.subject}`,
      });
      expect(published.attributes['pinkas.document.id']).toBe(event.document.id);
      const publisher = await spanOf(traceId, (span) => span.name === 'publishing');
      expect(publisher.parentSpanId).toBe(spanId);
      expect(published.parentSpanId).toBe(publisher.spanId);
      const handled = await spanOf(traceId, (span) => span.kind === 'consumer');
      expect(handled.parentSpanId).toBe(published.spanId);

      const lost = begun();
      await owner.storeLostEvent(newEvent(), randomUUID(), { traceparent: lost.traceparent });
      expect(await spanOf(lost.traceId)).toMatchObject({ kind: 'consumer', parentSpanId: lost.spanId });
    } finally {
      await owner.stop();
    }
  });

  it.each(['fails', 'hangs'] as const)(
    'harm nothing where the collector %s, and are counted as lost',
    async (mode) => {
      collector.mode = mode;
      const sent = collector.bodies.length;
      const { traceparent } = begun();
      for (let time = 0; time < 5; time += 1) {
        const reply = await ask(traceparent);
        expect(reply.json()).toEqual({ used_today: 7 });
      }
      await eventually('it was tried', () => collector.bodies.length > sent);
      const samples = await scrape(tested.service);
      const reported = (outcome: string) => samples.get(`pinkas_spans_total{outcome="${outcome}"}`) ?? 0;
      expect(reported('made')).toBeGreaterThan(reported('taken'));
    },
  );
});

describe('the shutdown of a traced service', () => {
  it('buffered spans are exported at shutdown', async () => {
    const collector = await startTestCollector();
    const tested = await startProbe({ otlpEndpoint: collector.url });
    const { traceId, traceparent } = begun();
    const headers = natsHeaders();
    headers.set('traceparent', traceparent);
    const request = JSON.stringify({ business_id: randomUUID(), key_id: randomUUID() });
    await tested.network.connection.request(getUsage.subject, request, { timeout: 60_000, headers });
    await tested.stop();
    expect(collector.spans().map((span) => span.traceId)).toContain(traceId);
    await collector.stop();
  });

  it('a collector that hangs does not delay the shutdown', async () => {
    const collector = await startTestCollector();
    collector.mode = 'hangs';
    const tested = await startProbe({ otlpEndpoint: collector.url });
    const headers = natsHeaders();
    headers.set('traceparent', begun().traceparent);
    const request = JSON.stringify({ business_id: randomUUID(), key_id: randomUUID() });
    await tested.network.connection.request(getUsage.subject, request, { timeout: 60_000, headers });
    await tested.service.stop();
    // The process would end here, and its sending with it. By the answer to a request of ours the collector has seen what ended.
    collector.mode = 'fails';
    await fetch(collector.url);
    expect(collector.waiting()).toBe(1);
    expect(collector.spans()).toEqual([]);
    await collector.stop();
    await tested.stop();
  });
});

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
