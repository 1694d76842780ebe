import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type EventOf, eventSubject, messageDue, messaging, platformId } from '@pinkas/contracts';
import {
  eventually,
  exampleBusiness,
  exampleDocument,
  readTrail,
  type ServiceUnderTest,
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
  Tracing,
  withContext,
} from '../src/index.js';
import { newEvent, type ProbeTables, probe, publishUnsent, startProbe } from './probe-service.js';

const contracts = messaging.delivery;
const consumer = 'probe-effects';
const stream = 'EVT_ISSUING';

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
    expect(await readTrail(tested.database, event.business.id)).toMatchObject([
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
      const trails = [event.business.id, platformId].map((item) => readTrail(tested.database, item));
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
