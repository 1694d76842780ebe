import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import { headers as natsHeaders } from '@nats-io/nats-core';
import { consumers, deliveryPlanned, eventSubject, getUsage, messageDue, messaging } from '@pinkas/contracts';
import {
  type CollectedSpan,
  eventually,
  type ServiceUnderTest,
  scrape,
  startTestCollector,
  type TestCollector,
} from '@pinkas/testkit';
import { sql } from 'kysely';
import { createLogger, currentContext, Metrics, newContext, SpanKind, Tracing } from '../src/index.js';
import { exportTraces } from '../src/tracing/trace-export.js';
import { openTracing } from '../src/tracing/tracing.js';
import { newEvent, type ProbeTables, probe, startProbe } from './probe-service.js';
import { PublishingService } from './publishing-service.js';

const logger = fileURLToPath(new URL('../dist/process/logger.js', import.meta.url));
const program = `
  const { createLogger } = await import(${JSON.stringify(logger)});
  const logger = createLogger('test', 'info');
  for (let line = 0; line < 5000; line += 1) logger.info({ text: 'x'.repeat(1000) }, 'line written');
`;

/** A trace that somebody has begun. */
function begun(sampled = true): { traceId: string; spanId: string; traceparent: string } {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-0${sampled ? 1 : 0}` };
}

describe('GET /metrics', () => {
  let tested: ServiceUnderTest<ProbeTables>;
  let another: ServiceUnderTest<ProbeTables>;
  beforeAll(async () => {
    [tested, another] = await Promise.all([startProbe(), startProbe()]);
  });
  afterAll(async () => {
    await Promise.all([tested.stop(), another.stop()]);
  });

  /** The value of one sample. */
  const sample = async (name: string, of = tested) => (await scrape(of.service)).get(name);
  const steps = (outcome: string) =>
    `pinkas_events_handled_total{consumer="probe-effects",outcome="${outcome}"}`;

  it('event outcomes are counted by each process', async () => {
    const event = newEvent();
    await tested.network.publish(messageDue, event.document.id, event);
    await jetstream(tested.network.connection).publish(eventSubject(messageDue, randomUUID()), '{}', {
      msgID: randomUUID(),
    });
    await eventually('both are counted', async () => {
      const counted = [await sample(steps('handled')), await sample(steps('dead_lettered'))];
      return counted.every((value) => value === 1);
    });
    expect(await sample(steps('failed'))).toBe(1);
    expect(await sample(steps('handled'), another)).toBeUndefined();
  });

  it('dead letters and unsent outbox events are reported', async () => {
    expect(await sample('pinkas_dead_letters', another)).toBe(0);
    expect(await sample('pinkas_outbox_unsent', another)).toBe(0);
    expect(await sample('pinkas_outbox_oldest_unsent_seconds', another)).toBe(0);
    const { db } = another.database;
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('dead_letter')
        .values({
          consumer: 'probe-effects',
          message_id: randomUUID(),
          subject: 'evt.issuing.document.issued.v1.x',
          body: '{}',
          request_id: null,
          reason: 'given up',
          attempts: 10,
        })
        .execute();
      // Beyond the reach of JetStream: no stream takes it, so that it stays unsent.
      await trx
        .insertInto('outbox')
        .values({
          id: randomUUID(),
          subject: 'void.delivery',
          body: '{}',
          request_id: null,
          created_at: sql`now() - interval '90 seconds'`,
          sent_at: null,
        })
        .execute();
    });
    expect(await sample('pinkas_dead_letters', another)).toBe(1);
    expect(await sample('pinkas_outbox_unsent', another)).toBe(1);
    const age = (await sample('pinkas_outbox_oldest_unsent_seconds', another)) ?? 0;
    expect(age).toBeGreaterThanOrEqual(90);
    expect(age).toBeLessThan(3_600);
  });

  it('the oldest event that a consumer has not read is reported until its reconciler has read it', async () => {
    const { db } = another.database;
    const consumer = consumers.recordDelivery.durable;
    const unread = () => sample(`pinkas_outbox_oldest_unread_seconds{consumer="${consumer}"}`, another);
    const { position } = await db
      .insertInto('outbox')
      .values({
        id: randomUUID(),
        subject: `${deliveryPlanned.subject}.${randomUUID()}`,
        body: '{}',
        request_id: null,
        created_at: sql`now() - interval '2 days'`,
        sent_at: sql`now()`,
      })
      .returning('position')
      .executeTakeFirstOrThrow();
    const call = (after: number) =>
      another.network.call(messaging.delivery.listOutboxEvents, {
        subject: deliveryPlanned.subject,
        after,
        limit: 1,
        consumer,
      });
    await call(position - 1);
    expect(await unread()).toBeGreaterThan(2 * 24 * 60 * 60 - 1);
    await call(position);
    expect(await unread()).toBe(0);
  });

  it('requests are counted by contract and outcome, with their durations', async () => {
    const counted = async (outcome: string) =>
      (await scrape(another.service)).get(
        `pinkas_requests_total{contract="${getUsage.subject}",outcome="${outcome}"}`,
      );
    const durations = `pinkas_request_duration_seconds_count{contract="${getUsage.subject}"}`;
    const id = randomUUID();
    const request = { business_id: id, key_id: randomUUID() };
    await another.network.call(getUsage, request);
    await another.network.call(getUsage, request);
    await expect(another.network.call(getUsage, { business_id: id, key_id: id })).rejects.toThrow();
    await expect(another.network.call(getUsage, {} as never)).rejects.toThrow();
    expect([await counted('ok'), await counted('refused'), await counted('failed')]).toEqual([
      2,
      2,
      undefined,
    ]);
    probe.answer = () => Promise.reject(new Error('a fault'));
    await expect(another.network.call(getUsage, request)).rejects.toThrow();
    probe.answer = async () => 7;
    expect([await counted('ok'), await counted('failed')]).toEqual([2, 1]);
    expect((await scrape(another.service)).get(durations)).toBe(5);
  });

  it('requests in flight are reported', async () => {
    let release = () => {};
    probe.answer = () =>
      new Promise((resolve) => {
        release = () => resolve(7);
      });
    const asked = another.network.call(getUsage, { business_id: randomUUID(), key_id: randomUUID() });
    await eventually(
      'it is in flight',
      async () => (await sample('pinkas_requests_in_flight', another)) === 1,
    );
    release();
    probe.answer = async () => 7;
    await asked;
    expect(await sample('pinkas_requests_in_flight', another)).toBe(0);
  });

  it('event durations, pending events and overdue events are reported', async () => {
    const labels = '{consumer="probe-effects"}';
    const reported = () => scrape(another.service);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    probe.handled = () => released;
    const event = newEvent();
    await another.network.publish(messageDue, event.document.id, event);
    await eventually('it waits', async () => (await reported()).get(`pinkas_events_pending${labels}`) === 1);
    const before = (await reported()).get(`pinkas_event_duration_seconds_count${labels}`) ?? 0;
    release();
    probe.handled = async () => {};
    await eventually(
      'nothing waits',
      async () => (await reported()).get(`pinkas_events_pending${labels}`) === 0,
    );
    expect((await reported()).get(`pinkas_event_duration_seconds_count${labels}`)).toBe(before + 1);

    expect((await reported()).get(`pinkas_events_overdue${labels}`)).toBe(0);
    expect((await reported()).get(`pinkas_events_oldest_overdue_seconds${labels}`)).toBe(0);
    await another.database.db
      .insertInto('due_event')
      .values({
        consumer: 'probe-effects',
        message_id: randomUUID(),
        subject: eventSubject(messageDue, 'x'),
        body: '{}',
        request_id: null,
        reason: 'no paper',
        attempts: 3,
        first_due_at: sql<Date>`now() - interval '90 seconds'`,
        next_attempt_at: sql<Date>`now() + interval '1 hour'`,
        claimed_until: null,
      })
      .execute();
    expect((await reported()).get(`pinkas_events_overdue${labels}`)).toBe(1);
    const age = (await reported()).get(`pinkas_events_oldest_overdue_seconds${labels}`) ?? 0;
    expect(age).toBeGreaterThanOrEqual(90);
    expect(age).toBeLessThan(3_600);
  });

  it('readiness and the servers that answer are reported', async () => {
    const third = await startProbe();
    try {
      const names = [
        'pinkas_ready',
        'pinkas_server_up{server="nats"}',
        'pinkas_server_up{server="postgres"}',
      ];
      const reported = async () => {
        const samples = await scrape(third.service);
        return names.map((name) => samples.get(name));
      };
      expect(await reported()).toEqual([1, 1, 1]);
      await third.nats.stop();
      await eventually('NATS is missed', async () => (await reported()).join() === '0,0,1');
    } finally {
      await third.service.stop();
      await third.network.close();
      await third.database.close();
    }
  });

  it('the metrics of the process and its event loop are reported', async () => {
    expect(await sample('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(await sample('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
    const response = await fetch(`http://127.0.0.1:${tested.service.healthPort}/metrics`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/plain; version=0\.0\.4/),
    ]);
  });

  it('the counters of a service are reported under their names', async () => {
    const metrics = tested.service.app.get(Metrics);
    metrics.counter('pinkas_probes_total', 'Probes.', ['outcome']).inc({ outcome: 'good' });
    expect(await sample('pinkas_probes_total{outcome="good"}')).toBe(1);
    expect(() => metrics.counter('pinkas_probes_total', 'Probes.')).toThrow('already been registered');
  });

  it('a gauge that cannot be read in time is left out', async () => {
    const metrics = tested.service.app.get(Metrics);
    let read = async (): Promise<number> => 17;
    metrics.gauge('pinkas_probe_seconds', 'A probe.', () => read());
    expect(await sample('pinkas_probe_seconds')).toBe(17);
    read = () => Promise.reject(new Error('the database is unavailable'));
    expect(await sample('pinkas_probe_seconds')).toBeUndefined();
    read = () => new Promise(() => {});
    expect(await sample('pinkas_probe_seconds')).toBeUndefined();
    expect(await sample('pinkas_dead_letters')).toBe(1);
  });
});

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

describe('the logger', () => {
  // Linux's device that has no room.
  it('a process whose log has no room goes on', async () => {
    const full = await open('/dev/full', 'w');
    try {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', full.fd, 'pipe'],
        timeout: 60_000,
      });
      let errors = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        errors += text;
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect([code, errors]).toEqual([0, '']);
    } finally {
      await full.close();
    }
  });
});
