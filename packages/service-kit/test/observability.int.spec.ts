import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import { consumers, deliveryPlanned, eventSubject, getUsage, messageDue, messaging } from '@pinkas/contracts';
import { eventually, type ServiceUnderTest, scrape } from '@pinkas/testkit';
import { sql } from 'kysely';
import { Metrics } from '../src/index.js';
import { newEvent, type ProbeTables, probe, startProbe } from './probe-service.js';

const logger = fileURLToPath(new URL('../dist/process/logger.js', import.meta.url));
const program = `
  const { createLogger } = await import(${JSON.stringify(logger)});
  const logger = createLogger('test', 'info');
  for (let line = 0; line < 5000; line += 1) logger.info({ text: 'x'.repeat(1000) }, 'line written');
`;

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
