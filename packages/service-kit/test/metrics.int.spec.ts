import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentIssued, eventSubject, getUsage } from '@pinkas/contracts';
import { eventually, type ServiceUnderTest, scrape as scraped } from '@pinkas/testkit';
import { sql } from 'kysely';
import { Metrics } from '../src/index.js';
import { newEvent, type ProbeTables, probe, startProbe } from './probe-service.js';

describe('the metrics of a process', () => {
  let tested: ServiceUnderTest<ProbeTables>;
  let another: ServiceUnderTest<ProbeTables>;
  beforeAll(async () => {
    [tested, another] = await Promise.all([startProbe(), startProbe()]);
  });
  afterAll(async () => {
    await Promise.all([tested.stop(), another.stop()]);
  });

  const scrape = async (of = tested) => {
    const response = await fetch(`http://127.0.0.1:${of.service.healthPort}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    return response.text();
  };
  /** The value of one sample. */
  const sample = async (name: string, of = tested) => {
    const line = (await scrape(of)).split('\n').find((one) => one.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  };
  const steps = (outcome: string) =>
    `pinkas_steps_handled_total{consumer="probe-effects",outcome="${outcome}"}`;

  it('tell what became of its steps, each process for itself', async () => {
    const event = newEvent();
    await tested.network.publish(documentIssued, event.document.id, event);
    await tested.network.connection
      .jetstream()
      .publish(eventSubject(documentIssued, randomUUID()), '{}', { msgID: randomUUID() });
    await eventually('both are counted', async () => {
      const counted = [await sample(steps('handled')), await sample(steps('parked'))];
      return counted.every((value) => value === 1);
    });
    expect(await sample(steps('failed'))).toBe(1);
    expect(await sample(steps('handled'), another)).toBeUndefined();
  });

  it('tell how many steps are parked, and what is not sent yet', async () => {
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

  it('tell of each contract how often it was asked, what came of it, and how long it took', async () => {
    const counted = async (outcome: string) =>
      (await scraped(another.service)).get(
        `pinkas_requests_total{contract="${getUsage.subject}",outcome="${outcome}"}`,
      );
    const durations = `pinkas_request_duration_seconds_count{contract="${getUsage.subject}"}`;
    const id = randomUUID();
    const request = { business_id: id, key_id: randomUUID() };
    await another.network.ask(getUsage, request);
    await another.network.ask(getUsage, request);
    await expect(another.network.ask(getUsage, { business_id: id, key_id: id })).rejects.toThrow();
    await expect(another.network.ask(getUsage, {} as never)).rejects.toThrow();
    expect([await counted('ok'), await counted('refused'), await counted('failed')]).toEqual([
      2,
      2,
      undefined,
    ]);
    probe.answer = () => Promise.reject(new Error('a fault'));
    await expect(another.network.ask(getUsage, request)).rejects.toThrow();
    probe.answer = async () => 7;
    expect([await counted('ok'), await counted('failed')]).toEqual([2, 1]);
    expect((await scraped(another.service)).get(durations)).toBe(5);
  });

  it('tell how many requests are in flight', async () => {
    let release = () => {};
    probe.answer = () =>
      new Promise((resolve) => {
        release = () => resolve(7);
      });
    const asked = another.network.ask(getUsage, { business_id: randomUUID(), key_id: randomUUID() });
    await eventually(
      'it is in flight',
      async () => (await sample('pinkas_requests_in_flight', another)) === 1,
    );
    release();
    probe.answer = async () => 7;
    await asked;
    expect(await sample('pinkas_requests_in_flight', another)).toBe(0);
  });

  it('tell how long steps took, how many wait in the stream, and how many are overdue since when', async () => {
    const labels = '{consumer="probe-effects"}';
    const told = () => scraped(another.service);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    probe.handled = () => released;
    const event = newEvent();
    await another.network.publish(documentIssued, event.document.id, event);
    await eventually('it waits', async () => (await told()).get(`pinkas_steps_waiting${labels}`) === 1);
    const before = (await told()).get(`pinkas_step_duration_seconds_count${labels}`) ?? 0;
    release();
    probe.handled = async () => {};
    await eventually('nothing waits', async () => (await told()).get(`pinkas_steps_waiting${labels}`) === 0);
    expect((await told()).get(`pinkas_step_duration_seconds_count${labels}`)).toBe(before + 1);

    expect((await told()).get(`pinkas_steps_overdue${labels}`)).toBe(0);
    expect((await told()).get(`pinkas_steps_oldest_overdue_seconds${labels}`)).toBe(0);
    const [owed, handled, parked] = [randomUUID(), randomUUID(), randomUUID()];
    const { db } = another.database;
    await db
      .insertInto('sweep_try')
      .values(
        [owed, handled, parked].map((message_id) => ({
          consumer: 'probe-effects',
          message_id,
          tries: 3,
          first_tried_at: sql<Date>`now() - interval '90 seconds'`,
        })),
      )
      .execute();
    await db.insertInto('inbox').values({ consumer: 'probe-effects', message_id: handled }).execute();
    await sql`
      insert into dead_letter (consumer, message_id, subject, body, reason, attempts)
      values ('probe-effects', ${parked}, 'evt.issuing.document.issued.v1.x', '{}', 'given up', 20)
    `.execute(db);
    expect((await told()).get(`pinkas_steps_overdue${labels}`)).toBe(1);
    const age = (await told()).get(`pinkas_steps_oldest_overdue_seconds${labels}`) ?? 0;
    expect(age).toBeGreaterThanOrEqual(90);
    expect(age).toBeLessThan(3_600);
  });

  it('tell whether the process is ready, and whether its servers answer', async () => {
    const third = await startProbe();
    try {
      const names = [
        'pinkas_ready',
        'pinkas_server_answers{server="nats"}',
        'pinkas_server_answers{server="postgres"}',
      ];
      const told = async () => {
        const samples = await scraped(third.service);
        return names.map((name) => samples.get(name));
      };
      expect(await told()).toEqual([1, 1, 1]);
      await third.nats.stop();
      await eventually('NATS is missed', async () => (await told()).join() === '0,0,1');
    } finally {
      await third.service.stop();
      await third.network.close();
      await third.database.close();
    }
  });

  it('tell of the process and its event loop', async () => {
    expect(await sample('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(await scrape()).toContain('nodejs_eventloop_lag_seconds');
  });

  it('take the counters of a service, under the names that it gives them', async () => {
    const metrics = tested.service.app.get(Metrics);
    metrics.counter('pinkas_probes_total', 'Probes.', ['outcome']).inc({ outcome: 'good' });
    expect(await sample('pinkas_probes_total{outcome="good"}')).toBe(1);
    expect(() => metrics.counter('pinkas_probes_total', 'Probes.')).toThrow('already been registered');
  });

  it('leave out what cannot be read rather than tell an old value or wait for it', async () => {
    const metrics = tested.service.app.get(Metrics);
    let read = async (): Promise<number> => 17;
    metrics.gauge('pinkas_probe_seconds', 'A probe.', () => read());
    expect(await sample('pinkas_probe_seconds')).toBe(17);
    read = () => Promise.reject(new Error('the database is away'));
    expect(await sample('pinkas_probe_seconds')).toBeUndefined();
    read = () => new Promise(() => {});
    expect(await sample('pinkas_probe_seconds')).toBeUndefined();
    expect(await sample('pinkas_dead_letters')).toBe(1);
  });
});
