import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers } from '@nats-io/nats-core';
import { eventSubject, getUsage, messageDue, messaging } from '@pinkas/contracts';
import {
  createTestDatabase,
  eventually,
  type ServiceUnderTest,
  serviceConfig,
  startTestNats,
  type TestDatabase,
  type TestNats,
  TestNetwork,
} from '@pinkas/testkit';
import { type RunningService, startService } from '../src/index.js';
import {
  newEvent,
  type ProbeTables,
  probe,
  probeMigrations,
  probeService,
  startProbe,
} from './probe-service.js';

const consumer = 'probe-effects';
const stream = 'EVT_ISSUING';
const concurrency = 2;
const inHand = 8;

let tested: ServiceUnderTest<ProbeTables>;
beforeAll(async () => {
  tested = await startProbe();
});
afterAll(() => tested?.stop());

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
  const dueEvents = () => database.db.selectFrom('due_event').select('message_id').execute();
  const publish = (subject: string, body: string | Uint8Array, id?: string) => {
    const given = headers();
    if (id !== undefined) {
      given.set('Nats-Msg-Id', id);
    }
    return jetstream(network.connection).publish(subject, body, { headers: given });
  };
  const info = async () => (await jetstream(network.connection).consumers.get(stream, consumer)).info();

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
      await publish(eventSubject(messageDue, id), JSON.stringify(event), randomUUID());
      await publish(eventSubject(messageDue, id), '{"document": 1}', randomUUID());
      await publish(eventSubject(messageDue, id), JSON.stringify(event));
      await publish(eventSubject(messageDue, id), new Uint8Array([0x7b, 0x00, 0xff]), `no uuid ${id}`);
    }
    const good = Array.from({ length: 50 }, () => newEvent());
    for (const event of good) {
      await publish(eventSubject(messageDue, event.document.id), JSON.stringify(event), randomUUID());
    }
    await start(1);
    await eventually('all the good ones are handled', async () => (await effects()).length === good.length);
    expect((await effects()).sort()).toEqual(good.map((event) => event.document.id).sort());
    const reasons = (await deadLettered()).map((letter) => letter.reason.slice(0, 23)).sort();
    expect(reasons).toEqual([
      ...Array.from({ length: 5 }, () => 'the event does not match'.slice(0, 23)),
      ...Array.from({ length: 10 }, () => 'the message has no UUID'),
    ]);
    // Those that may still work are due again, in the database.
    await eventually('each has failed', async () => (await dueEvents()).length === failing.length);
    await eventually('they are off the stream', async () => (await info()).num_ack_pending === 0);
  });

  it('a message without an outbox id is dead-lettered once and can be redriven', async () => {
    await start(16);
    const event = newEvent();
    await publish(eventSubject(messageDue, event.document.id), JSON.stringify(event));
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

  it('many failing events block nothing', async () => {
    const waiting = 550;
    const good = newEvent();
    probe.prepare = async ({ document }) => {
      if (document.id !== good.document.id) {
        throw new Error('the authority is unavailable');
      }
    };
    const bad = newEvent();
    const subject = eventSubject(messageDue, bad.document.id);
    const body = JSON.stringify(bad);
    await Promise.all(Array.from({ length: waiting }, () => publish(subject, body, randomUUID())));
    await start(16);
    await eventually('all of them wait', async () => (await dueEvents()).length === waiting);
    await network.publish(messageDue, good.document.id, good);
    await eventually('the good one is handled', async () => (await effects()).length === 1);
    expect(await deadLettered()).toEqual([]);
  });

  it('an event that was delivered often without an outcome is due in the database, and handled there', async () => {
    const event = newEvent();
    const { consumers } = await jetstreamManager(network.connection);
    await consumers.add(stream, {
      durable_name: consumer,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      filter_subject: `${messageDue.subject}.*`,
    });
    await network.publish(messageDue, event.document.id, event);
    const pulled = await jetstream(network.connection).consumers.get(stream, consumer);
    for (let attempts = 0; attempts < 10; attempts += 1) {
      (await pulled.next())?.nak();
    }
    await start(16);
    await eventually('it is handled', async () => (await effects()).length === 1);
    expect(await deadLettered()).toEqual([]);
    expect(await dueEvents()).toEqual([]);
    await eventually('it is off the stream', async () => (await info()).num_ack_pending === 0);
  });
});

describe('the drain of a replica', () => {
  let tested: ServiceUnderTest<ProbeTables>;
  const others: RunningService[] = [];
  beforeEach(async () => {
    tested = await startProbe({ consumerConcurrency: concurrency });
  });
  afterEach(async () => {
    await Promise.all(others.splice(0).map((other) => other.stop()));
    await tested.stop();
    probe.answer = async () => 7;
    probe.prepare = async () => {};
  });
  const startAnother = async () => {
    const { nats, database } = tested;
    const config = serviceConfig({ natsUrl: nats.url, databaseUrl: database.url });
    const other = await startService({ ...probeService, config });
    others.push(other);
    return other;
  };

  it('a draining replica replies to what has arrived, and the other replica gets new requests', async () => {
    const other = await startAnother();
    // Each is answered when as many have come after it: both replicas always have some in flight.
    const held: (() => void)[] = [];
    probe.answer = () =>
      new Promise((resolve) => {
        held.push(() => resolve(7));
        if (held.length > inHand) {
          held.shift()?.();
        }
      });
    let asking = true;
    const answers: number[] = [];
    const lane = async () => {
      while (asking) {
        const request = { business_id: randomUUID(), key_id: randomUUID() };
        answers.push((await tested.network.call(getUsage, request)).used_today);
      }
    };
    const lanes = Promise.all(Array.from({ length: 2 * inHand }, lane));
    await eventually('requests are under way', () => answers.length > 100);
    await other.stop();
    const atStop = answers.length;
    await eventually('requests go on', () => answers.length > atStop + 100);
    asking = false;
    probe.answer = async () => 7;
    for (const answer of held) {
      answer();
    }
    await lanes;
    expect(new Set(answers)).toEqual(new Set([7]));
  });

  it('a draining replica finishes the events in flight and returns the others at once', async () => {
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const begun: string[] = [];
    probe.prepare = async ({ document }) => {
      begun.push(document.id);
      await waiting;
    };
    const published = Array.from({ length: 8 }, () => newEvent());
    for (const event of published) {
      await tested.network.publish(messageDue, event.document.id, event);
    }
    const pulled = await jetstream(tested.network.connection).consumers.get(stream, consumer);
    await eventually(
      'events are handed out that it has not begun',
      async () => begun.length === concurrency && (await pulled.info()).num_ack_pending > concurrency,
    );

    const stopped = tested.service.stop();
    // Sooner than the server hands out again what it has heard nothing of (15 s).
    const left = published.length - concurrency;
    const taken: string[] = [];
    for await (const message of await pulled.fetch({ max_messages: left, expires: 8_000 })) {
      taken.push(message.subject.slice(message.subject.lastIndexOf('.') + 1));
      message.ack();
    }
    goOn();
    await stopped;

    expect(begun).toHaveLength(concurrency);
    expect([...begun, ...taken].sort()).toEqual(published.map(({ document }) => document.id).sort());
    const effects = await tested.database.db.selectFrom('effect').select('document_id').execute();
    expect(effects.map((effect) => effect.document_id).sort()).toEqual([...begun].sort());
    const { num_ack_pending, num_pending } = await pulled.info();
    expect({ num_ack_pending, num_pending }).toEqual({ num_ack_pending: 0, num_pending: 0 });
  });
});
