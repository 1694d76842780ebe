import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers } from '@nats-io/nats-core';
import { type EventOf, eventSubject, getUsage, messageDue, messaging, platformId } from '@pinkas/contracts';
import {
  auditTrail,
  createTestDatabase,
  eventually,
  exampleBusiness,
  exampleDocument,
  type ServiceUnderTest,
  serviceConfig,
  startTestNats,
  type TestDatabase,
  type TestNats,
  TestNetwork,
} from '@pinkas/testkit';
import { sql } from 'kysely';
import { subscriptionOf } from '../src/events/inbox/jetstream-consumer.js';
import {
  acrossTenants,
  createLogger,
  type Database,
  forTenant,
  kitTokens,
  newContext,
  OutboxRelay,
  publish,
  type RunningService,
  startService,
  Tracing,
  withContext,
} from '../src/index.js';
import {
  newEvent,
  type ProbeTables,
  probe,
  probeMigrations,
  probeService,
  publishUnsent,
  startProbe,
} from './probe-service.js';

const contracts = messaging.delivery;
const consumer = 'probe-effects';
const stream = 'EVT_ISSUING';
const concurrency = 2;
const inHand = 8;

let tested: ServiceUnderTest<ProbeTables>;
beforeAll(async () => {
  tested = await startProbe();
});
afterAll(() => tested?.stop());

describe('event handling', () => {
  const business = exampleBusiness();
  const effects = (documentId: string) =>
    tested.database.db.selectFrom('effect').selectAll().where('document_id', '=', documentId).execute();
  const send = (event: ReturnType<typeof newEvent>, id?: string) =>
    tested.network.publish(messageDue, event.document.id, event, id);

  it('an event takes effect once when its acknowledgement is lost', async () => {
    const event = newEvent(business);
    let commits = 0;
    probe.committed = (committed) => {
      if (committed.document.id !== event.document.id) {
        return;
      }
      commits += 1;
      // After the commit and before the acknowledgement: where a process that dies leaves an event to be redelivered.
      throw new Error('died before the acknowledgement');
    };
    await send(event);
    const { consumers } = jetstream(tested.network.connection);
    await eventually('it came again and was acknowledged', async () => {
      const info = await (await consumers.get(stream, consumer)).info();
      return commits === 1 && info.num_ack_pending === 0 && info.num_pending === 0;
    });
    expect(await effects(event.document.id)).toHaveLength(1);
    probe.committed = () => {};
  });

  it('an event of a newer release takes effect without its unknown members', async () => {
    const event = newEvent(business);
    const handled: unknown[] = [];
    probe.handled = async (item) => void handled.push(item);
    const newer = { ...event, document: { ...event.document, added: { deeply: 1 } }, added: [1] };
    await jetstream(tested.network.connection).publish(
      `${messageDue.subject}.${event.document.id}`,
      JSON.stringify(newer),
      {
        msgID: randomUUID(),
      },
    );
    await eventually('it took effect', async () => (await effects(event.document.id)).length === 1);
    expect(handled).toEqual([event]);
    probe.handled = async () => {};
  });

  it('an event whose handling fails is attempted again, and failed attempts have no effect', async () => {
    const event = newEvent(business);
    let attempts = 0;
    probe.handled = async (handled) => {
      if (handled.document.id !== event.document.id) {
        return;
      }
      attempts += 1;
      if (attempts < 3) {
        throw new Error('not yet');
      }
    };
    await send(event);
    await eventually('it has succeeded', async () => (await effects(event.document.id)).length === 1);
    expect(attempts).toBe(3);
    probe.handled = async () => {};
  });

  it('an event is handled in the tenant scope of its business', async () => {
    const seen = new Map<string, string[]>();
    probe.handled = async ({ document }, trx) => {
      const rows = await trx.selectFrom('effect').select('business_id').distinct().execute();
      seen.set(
        document.id,
        rows.map((row) => row.business_id),
      );
    };
    const other = exampleBusiness();
    const events = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? newEvent(business)
        : { ...newEvent(business), document: exampleDocument({ business_id: other.id }), business: other },
    );
    await Promise.all(events.map((event) => send(event)));
    await eventually('all are handled', () => seen.size === events.length);
    probe.handled = async () => {};
    for (const { document } of events) {
      expect(seen.get(document.id)).toEqual([document.business_id]);
    }
  });

  it('a malformed event is dead-lettered with its reason and blocks nothing', async () => {
    const id = randomUUID();
    await jetstream(tested.network.connection).publish(
      eventSubject(messageDue, 'poison'),
      '{"document": 1}',
      { msgID: id },
    );
    const after = newEvent(business);
    await send(after);
    await eventually('the next one is handled', async () => (await effects(after.document.id)).length === 1);
    const deadLettered = await eventually('the malformed event is dead-lettered', () =>
      tested.database.db
        .selectFrom('dead_letter')
        .selectAll()
        .where('message_id', '=', id)
        .executeTakeFirst(),
    );
    expect(deadLettered).toMatchObject({ consumer, body: '{"document": 1}' });
    expect(deadLettered.reason).toContain('does not match its schema');
  });

  it.each([
    ['every business', (db: Database<ProbeTables>) => acrossTenants(db)],
    ['its business', (db: Database<ProbeTables>) => forTenant(db, business.id)],
    ['no business', (db: Database<ProbeTables>) => db],
  ])(
    'an event is published if and only if its transaction commits, in the scope of %s',
    async (_whose, view) => {
      const relay = tested.service.app.get(OutboxRelay);
      const seen = tested.network.collect(messageDue);
      await tested.network.connection.flush();
      const rolledBack = newEvent(business);
      const committed = newEvent(business);
      const opened = tested.service.app.get<Database<ProbeTables>>(kitTokens.database);
      const db = view(opened);
      await expect(
        relay.transaction(db, async (trx) => {
          await publish(trx, messageDue, rolledBack.document.id, rolledBack);
          throw new Error('rolled back');
        }),
      ).rejects.toThrow('rolled back');
      await relay.transaction(db, (trx) => publish(trx, messageDue, committed.document.id, committed));
      await eventually('it is published', () =>
        seen.some((event) => event.document.id === committed.document.id),
      );
      expect(seen.some((event) => event.document.id === rolledBack.document.id)).toBe(false);
      await eventually('it is marked as sent', async () => {
        const unsent = await db.selectFrom('outbox').select('id').where('sent_at', 'is', null).execute();
        return unsent.length === 0;
      });
    },
  );

  it('publish rejects an event that does not match its schema', async () => {
    await expect(
      publishUnsent(tested.database.db, (trx) =>
        publish(trx, messageDue, randomUUID(), { document: 1 } as never),
      ),
    ).rejects.toThrow('does not match its schema');
  });

  it('an event that JetStream may not have flushed is sent again at start and handled once', async () => {
    const { db } = tested.database;
    const [lately, longAgo] = [newEvent(business), newEvent(business)];
    for (const [event, seconds] of [
      [lately, 200],
      [longAgo, 400],
    ] as const) {
      await db
        .insertInto('outbox')
        .values({
          id: randomUUID(),
          subject: `${messageDue.subject}.${event.document.id}`,
          body: JSON.stringify(event),
          request_id: null,
          created_at: sql`now() - interval '1 hour'`,
          sent_at: sql<Date>`now() - make_interval(secs => ${seconds})`,
        })
        .execute();
    }
    const seen = tested.network.collect(messageDue);
    const { connection } = tested.network;
    await connection.flush();
    const relay = new OutboxRelay(
      db,
      connection,
      jetstream(connection),
      async () => {},
      createLogger('test', 'silent'),
      Tracing.off,
      30,
    );
    relay.start();
    await eventually('the effect is there', async () => (await effects(lately.document.id)).length === 1);
    await relay.stop();
    // Older events that were lost are found by the reconciler, which knows what was handled.
    const sent = seen.map((event) => event.document.id);
    expect(sent).toContain(lately.document.id);
    expect(sent).not.toContain(longAgo.document.id);
    const handled = await db.selectFrom('effect').select('document_id').execute();
    expect(new Set(handled.map((effect) => effect.document_id)).size).toBe(handled.length);
  });

  it('an event is delivered after the store of NATS was wiped', async () => {
    const manager = await jetstreamManager(tested.network.connection);
    await manager.streams.delete('EVT_ISSUING');
    const event = newEvent(business);
    await publishUnsent(tested.database.db, (trx) => publish(trx, messageDue, event.document.id, event));
    await eventually('the effect is there', async () => (await effects(event.document.id)).length === 1);
  });

  it('the consumer messages of the installed nats have the private field that a drain needs', async () => {
    const pulled = await jetstream(tested.network.connection).consumers.get(stream, consumer);
    const messages = await pulled.consume({ max_messages: 1 });
    expect(subscriptionOf(messages).isClosed()).toBe(false);
    messages.stop();
  });
});

describe('dead letters', () => {
  beforeAll(() => tested.database.db.deleteFrom('dead_letter').execute());
  afterEach(async () => {
    probe.handled = async () => {};
    probe.committed = () => {};
    await tested.database.db.deleteFrom('dead_letter').execute();
  });

  /** Dead-letters an event as a consumer does after the last attempt. */
  const park = async (
    event: EventOf<typeof messageDue>,
    change: { body?: string; consumer?: string } = {},
  ) => {
    const row = await tested.database.db
      .insertInto('dead_letter')
      .values({
        consumer: change.consumer ?? consumer,
        message_id: randomUUID(),
        subject: `${messageDue.subject}.${event.document.id}`,
        body: change.body ?? JSON.stringify(event),
        request_id: 'b6a2e6b4-6c53-4f2c-8b53-0a70e1a7a001',
        reason: 'the printer was unavailable',
        attempts: 10,
      })
      .returning(['id', 'message_id'])
      .executeTakeFirstOrThrow();
    return row;
  };
  const effects = async (event: EventOf<typeof messageDue>) =>
    tested.database.db
      .selectFrom('effect')
      .selectAll()
      .where('document_id', '=', event.document.id)
      .execute();
  const deadLettered = (id: string) =>
    tested.database.db.selectFrom('dead_letter').selectAll().where('id', '=', id).executeTakeFirst();
  const redrive = (id: string) => tested.network.call(contracts.redriveDeadLetter, { id });

  const drop = (id: string) => tested.network.call(contracts.dropDeadLetter, { id });

  it('listDeadLetters returns reasons without bodies, a page at a time', async () => {
    const events = [newEvent(), newEvent(), newEvent()];
    const ids = await Promise.all(events.map(async (event) => (await park(event)).id));
    const first = await tested.network.call(contracts.listDeadLetters, { limit: 2 });
    expect(first.next_after).toBe(first.dead_letters[1]?.id);
    const second = await tested.network.call(contracts.listDeadLetters, {
      limit: 2,
      after: first.next_after ?? '',
    });
    expect(second.next_after).toBeNull();
    const all = [...first.dead_letters, ...second.dead_letters];
    expect(all.map((letter) => letter.id).sort()).toEqual(ids.sort());
    for (const letter of all) {
      const event = events.find((event) => event.document.id === letter.document_id);
      expect(letter).toEqual({
        id: letter.id,
        service: 'delivery',
        consumer,
        document_id: event?.document.id,
        subject: `${messageDue.subject}.${event?.document.id}`,
        reason: 'the printer was unavailable',
        attempts: 10,
        dead_lettered_at: expect.stringMatching(/^\d{4}-.*Z$/),
        redrivable: true,
      });
    }
  });

  it('a redrive handles the event under its request id and removes the dead letter', async () => {
    const event = newEvent();
    const { id, message_id } = await park(event);
    expect(await redrive(id)).toEqual({ outcome: 'handled', reason: null });
    expect(await effects(event)).toHaveLength(1);
    expect(await deadLettered(id)).toBeUndefined();
    expect(await auditTrail(tested.database, event.business.id)).toMatchObject([
      { action: 'dead_letter.redrive', actor: 'operator', subject: id, before: { consumer } },
    ]);
    // The stream, or a reconciler, that delivers it again finds it handled.
    await tested.network.publish(messageDue, event.document.id, event, message_id);
    const after = newEvent();
    await tested.network.publish(messageDue, after.document.id, after);
    await eventually('the next one is handled', async () => (await effects(after)).length === 1);
    expect(await effects(event)).toHaveLength(1);
  });

  it('a redrive that fails stores the new reason and count, and has no other effect', async () => {
    const event = newEvent();
    const { id } = await park(event);
    probe.handled = async () => {
      throw new Error('the paper is out');
    };
    expect(await redrive(id)).toEqual({ outcome: 'failed', reason: 'the paper is out' });
    expect(await deadLettered(id)).toMatchObject({ reason: 'the paper is out', attempts: 11 });
    expect(await effects(event)).toHaveLength(0);
    expect(await tested.database.db.selectFrom('inbox').selectAll().execute()).not.toContainEqual(
      expect.objectContaining({ message_id: (await deadLettered(id))?.message_id }),
    );
  });

  it('two concurrent redrives of one dead letter have one effect', async () => {
    const event = newEvent();
    const { id } = await park(event);
    let begun = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Both have read the dead letter before one of them takes effect.
    probe.prepare = async () => {
      begun += 1;
      if (begun === 2) {
        release();
      }
      await released;
    };
    const outcomes = await Promise.all([redrive(id), redrive(id)]);
    probe.prepare = async () => {};
    expect(outcomes.map((outcome) => outcome.outcome).sort()).toEqual(['already_handled', 'handled']);
    expect(await effects(event)).toHaveLength(1);
    expect(await deadLettered(id)).toBeUndefined();
  });

  it('a redrive of an event that was handled already only removes the dead letter', async () => {
    const event = newEvent();
    const { id, message_id } = await park(event);
    await tested.database.db.insertInto('inbox').values({ consumer, message_id }).execute();
    expect(await redrive(id)).toEqual({ outcome: 'already_handled', reason: null });
    expect(await effects(event)).toHaveLength(0);
    expect(await deadLettered(id)).toBeUndefined();
  });

  it('a dead letter is removed when its event is delivered again and handled', async () => {
    const event = newEvent();
    const { id, message_id } = await park(event);
    await tested.network.publish(messageDue, event.document.id, event, message_id);
    await eventually('it is handled', async () => (await effects(event)).length === 1);
    expect(await deadLettered(id)).toBeUndefined();
  });

  it('a redrive succeeds although the handler fails after its commit', async () => {
    const event = newEvent();
    const { id } = await park(event);
    probe.committed = () => {
      throw new Error('after the commit');
    };
    expect(await redrive(id)).toEqual({ outcome: 'already_handled', reason: null });
    expect(await effects(event)).toHaveLength(1);
    expect(await deadLettered(id)).toBeUndefined();
  });

  it('a redrive that hangs fails before the caller times out', async () => {
    const event = newEvent();
    const { id } = await park(event);
    let release = () => {};
    probe.prepare = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    // A second of the caller's time is kept for storing and telling.
    const reply = await withContext(newContext(1_500), () =>
      tested.network.client.call(contracts.redriveDeadLetter, { id }),
    );
    release();
    probe.prepare = async () => {};
    expect(reply).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('the attempt exceeded'),
    });
  });

  describe.each([
    [
      'a dead letter whose consumer no longer exists',
      { consumer: 'probe-former' },
      'no longer has this consumer',
    ],
    ['a dead letter whose event is malformed', { body: '{"document": 1' }, 'does not match its schema'],
  ])('%s', (_which, change, reason) => {
    it('a redrive of such a dead letter is not_redrivable', async () => {
      const { id } = await park(newEvent(), change);
      expect(await redrive(id)).toMatchObject({
        outcome: 'not_redrivable',
        reason: expect.stringContaining(reason),
      });
      expect(await deadLettered(id)).toMatchObject({ attempts: 11 });
      const { dead_letters } = await tested.network.call(contracts.listDeadLetters, { limit: 1 });
      expect(dead_letters).toMatchObject([{ id, redrivable: false }]);
    });

    it('such a dead letter is dropped once, and its event counts as handled', async () => {
      const event = newEvent();
      const { id, message_id } = await park(event, change);
      expect(await drop(id)).toEqual({ outcome: 'dropped', reason: 'the printer was unavailable' });
      expect(await deadLettered(id)).toBeUndefined();
      await expect(drop(id)).rejects.toMatchObject({ code: 'not_found' });
      const trails = [event.business.id, platformId].map((item) => auditTrail(tested.database, item));
      expect((await Promise.all(trails)).flat()).toContainEqual(
        expect.objectContaining({ action: 'dead_letter.drop', actor: 'operator', subject: id }),
      );
      // Neither its stream nor a reconciler delivers it again.
      const { db } = tested.database;
      const settled = await db
        .selectFrom('inbox')
        .select('consumer')
        .where('message_id', '=', message_id)
        .execute();
      expect(settled).toEqual([{ consumer: { consumer, ...change }.consumer }]);
    });
  });

  it('a redrivable dead letter is not dropped', async () => {
    const event = newEvent();
    const { id } = await park(event);
    expect(await drop(id)).toEqual({ outcome: 'redrivable', reason: 'the printer was unavailable' });
    expect(await redrive(id)).toMatchObject({ outcome: 'handled' });
    expect(await effects(event)).toHaveLength(1);
  });

  it('redrive and drop of an unknown id are not_found', async () => {
    await expect(redrive(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    await expect(drop(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
  });
});

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
