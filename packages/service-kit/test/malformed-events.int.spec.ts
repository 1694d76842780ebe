import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers } from '@nats-io/nats-core';
import { documentIssued, eventSubject, messaging } from '@pinkas/contracts';
import {
  createTestDatabase,
  eventually,
  serviceConfig,
  startTestNats,
  type TestDatabase,
  type TestNats,
  TestNetwork,
} from '@pinkas/testkit';
import { type RunningService, startService } from '../src/index.js';
import { newEvent, type ProbeTables, probe, probeMigrations, probeService } from './probe-service.js';

const stream = 'EVT_ISSUING';
const durable = 'probe-effects';

describe('events that cannot be handled', () => {
  let nats: TestNats;
  let network: TestNetwork;
  let database: TestDatabase<ProbeTables>;
  let running: RunningService | undefined;
  beforeEach(async () => {
    nats = await startTestNats();
    network = await TestNetwork.open(nats.url);
    database = await createTestDatabase<ProbeTables>(probeMigrations);
  });
  afterEach(async () => {
    probe.handled = async () => {};
    probe.prepare = async () => {};
    await running?.stop();
    running = undefined;
    await network.close();
    await database.close();
    await nats.stop();
  });

  const start = async (consumerConcurrency: number) => {
    const config = serviceConfig({ natsUrl: nats.url, databaseUrl: database.url });
    running = await startService({ ...probeService, config: { ...config, consumerConcurrency } });
  };
  const effects = async () =>
    (await database.db.selectFrom('effect').select('document_id').execute()).map((row) => row.document_id);
  const deadLettered = () => database.db.selectFrom('dead_letter').selectAll().execute();
  const publish = (subject: string, body: string | Uint8Array, id?: string) => {
    const given = headers();
    if (id !== undefined) {
      given.set('Nats-Msg-Id', id);
    }
    return jetstream(network.connection).publish(subject, body, { headers: given });
  };
  const info = async () => (await jetstream(network.connection).consumers.get(stream, durable)).info();

  it('failing events do not block those behind them, even at a concurrency of one', async () => {
    const failing = Array.from({ length: 5 }, () => newEvent());
    const failingIds = new Set(failing.map((event) => event.document.id));
    probe.handled = async ({ document }) => {
      if (failingIds.has(document.id)) {
        throw new Error('it never works');
      }
    };
    for (const event of failing) {
      const { id } = event.document;
      await publish(eventSubject(documentIssued, id), JSON.stringify(event), randomUUID());
      await publish(eventSubject(documentIssued, id), '{"document": 1}', randomUUID());
      await publish(eventSubject(documentIssued, id), JSON.stringify(event));
      await publish(eventSubject(documentIssued, id), new Uint8Array([0x7b, 0x00, 0xff]), `no uuid ${id}`);
    }
    const good = Array.from({ length: 50 }, () => newEvent());
    for (const event of good) {
      await publish(eventSubject(documentIssued, event.document.id), JSON.stringify(event), randomUUID());
    }
    await start(1);
    await eventually('all the good ones are handled', async () => (await effects()).length === good.length);
    expect((await effects()).sort()).toEqual(good.map((event) => event.document.id).sort());
    const reasons = (await deadLettered()).map((letter) => letter.reason.slice(0, 23)).sort();
    expect(reasons).toEqual([
      ...Array.from({ length: 5 }, () => 'the event does not match'.slice(0, 23)),
      ...Array.from({ length: 10 }, () => 'the message has no UUID'),
    ]);
    // Those that may still work are tried on.
    expect((await info()).num_ack_pending).toBe(failing.length);
  });

  it('a message without an outbox id is dead-lettered once and can be redriven', async () => {
    await start(16);
    const event = newEvent();
    await publish(eventSubject(documentIssued, event.document.id), JSON.stringify(event));
    const letter = await eventually('it is dead-lettered', async () => (await deadLettered())[0]);
    await eventually('it is off the stream', async () => {
      const { num_ack_pending, num_pending } = await info();
      return num_ack_pending === 0 && num_pending === 0;
    });
    expect(await deadLettered()).toHaveLength(1);
    expect(await effects()).toEqual([]);
    const reply = await network.call(messaging.delivery.redriveDeadLetter, { id: letter.id });
    expect(reply.outcome).toBe('handled');
    expect(await effects()).toEqual([event.document.id]);
    expect(await deadLettered()).toEqual([]);
  });

  it('more failing events than the default max ack pending block nothing', async () => {
    const waiting = 550;
    // What an earlier release has made: it is brought up to date.
    const { consumers } = await jetstreamManager(network.connection);
    await consumers.add(stream, {
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      filter_subject: `${documentIssued.subject}.*`,
      max_ack_pending: 512,
    });
    const good = newEvent();
    probe.prepare = async ({ document }) => {
      if (document.id !== good.document.id) {
        throw new Error('the authority is unavailable');
      }
    };
    const bad = newEvent();
    const subject = eventSubject(documentIssued, bad.document.id);
    const body = JSON.stringify(bad);
    await Promise.all(Array.from({ length: waiting }, () => publish(subject, body, randomUUID())));
    await start(16);
    await eventually('all of them wait', async () => (await info()).num_ack_pending === waiting, 60_000);
    await network.publish(documentIssued, good.document.id, good);
    await eventually('the good one is handled', async () => (await effects()).length === 1);
    expect((await info()).num_ack_pending).toBeGreaterThanOrEqual(waiting);
    expect(await deadLettered()).toEqual([]);
  }, 90_000);

  describe('an event whose attempts all ended with their process', () => {
    /** Delivers it so often that no try is left, without an answer of any kind. */
    const exhaust = async (event: ReturnType<typeof newEvent>) => {
      const { consumers } = await jetstreamManager(network.connection);
      await consumers.add(stream, {
        durable_name: durable,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        filter_subject: `${documentIssued.subject}.*`,
      });
      await network.publish(documentIssued, event.document.id, event);
      const consumer = await jetstream(network.connection).consumers.get(stream, durable);
      for (let attempts = 0; attempts < 10; attempts += 1) {
        (await consumer.next())?.nak();
      }
    };

    it('the event is dead-lettered before the last attempt', async () => {
      const event = newEvent();
      await exhaust(event);
      let deadLetteredBefore = -1;
      probe.handled = async () => {
        deadLetteredBefore = (await deadLettered()).length;
        throw new Error('again');
      };
      await start(16);
      const letter = await eventually('it has failed once more', async () =>
        (await deadLettered()).find((item) => item.reason === 'again'),
      );
      expect(deadLetteredBefore).toBe(1);
      expect(letter.attempts).toBe(11);
      await eventually('it is off the stream', async () => (await info()).num_ack_pending === 0);
    });

    it('the event is no dead letter when the last attempt succeeds', async () => {
      const event = newEvent();
      await exhaust(event);
      await start(16);
      await eventually('it is handled', async () => (await effects()).length === 1);
      expect(await deadLettered()).toEqual([]);
      await eventually('it is off the stream', async () => (await info()).num_ack_pending === 0);
    });
  });
});
