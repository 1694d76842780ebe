import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { documentIssued } from '@pinkas/contracts';
import { eventually, exampleBusiness, exampleDocument, type ServiceUnderTest } from '@pinkas/testkit';
import { sql } from 'kysely';
import { subscriptionOf } from '../src/events/inbox/jetstream-consumer.js';
import {
  acrossTenants,
  createLogger,
  type Database,
  forTenant,
  kitTokens,
  OutboxRelay,
  publish,
  Tracing,
} from '../src/index.js';
import {
  newEvent as newEventOf,
  type ProbeTables,
  probe,
  publishUnsent,
  startProbe,
} from './probe-service.js';

describe('event handling', () => {
  let tested: ServiceUnderTest<ProbeTables>;
  beforeAll(async () => {
    tested = await startProbe();
  });
  afterAll(() => tested.stop());

  const business = exampleBusiness();
  const newEvent = () => newEventOf(business);
  const effects = (documentId: string) =>
    tested.database.db.selectFrom('effect').selectAll().where('document_id', '=', documentId).execute();
  const send = (event: ReturnType<typeof newEvent>, id?: string) =>
    tested.network.publish(documentIssued, event.document.id, event, id);

  it('an event takes effect once when its acknowledgement is lost', async () => {
    const event = newEvent();
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
      const info = await (await consumers.get('EVT_ISSUING', 'probe-effects')).info();
      return commits === 1 && info.num_ack_pending === 0 && info.num_pending === 0;
    });
    expect(await effects(event.document.id)).toHaveLength(1);
    probe.committed = () => {};
  });

  it('an event of a newer release takes effect without its unknown members', async () => {
    const event = newEvent();
    const handled: unknown[] = [];
    probe.handled = async (item) => void handled.push(item);
    const newer = { ...event, document: { ...event.document, added: { deeply: 1 } }, added: [1] };
    await jetstream(tested.network.connection).publish(
      `${documentIssued.subject}.${event.document.id}`,
      JSON.stringify(newer),
      {
        msgID: randomUUID(),
      },
    );
    await eventually('it took effect', async () => (await effects(event.document.id)).length === 1);
    expect(handled).toEqual([event]);
    probe.handled = async () => {};
  });

  it('an event whose handling exceeds the ack wait is delivered once', async () => {
    const event = newEvent();
    let attempts = 0;
    let signs = 0;
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    probe.prepare = async (prepared) => {
      if (prepared.document.id !== event.document.id) {
        return;
      }
      attempts += 1;
      await waiting;
    };
    const acks = tested.network.connection.subscribe('$JS.ACK.EVT_ISSUING.probe-effects.>', {
      callback: (_error, message) => {
        if (message.string() === '+WPI') {
          signs += 1;
        }
      },
    });
    await send(event);
    // Each comes after a third of the server's patience.
    await eventually('it has lived longer than the server waits', () => signs > 3, 40_000);
    goOn();
    await eventually('it has succeeded', async () => (await effects(event.document.id)).length === 1);
    expect(attempts).toBe(1);
    acks.unsubscribe();
    probe.prepare = async () => {};
  }, 60_000);

  it('an event whose handling fails is attempted again, and failed attempts have no effect', async () => {
    const event = newEvent();
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
        ? newEvent()
        : { document: exampleDocument({ business_id: other.id }), business: other },
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
      'evt.issuing.document.issued.v1.poison',
      '{"document": 1}',
      { msgID: id },
    );
    const after = newEvent();
    await send(after);
    await eventually('the next one is handled', async () => (await effects(after.document.id)).length === 1);
    const deadLettered = await eventually('the malformed event is dead-lettered', () =>
      tested.database.db
        .selectFrom('dead_letter')
        .selectAll()
        .where('message_id', '=', id)
        .executeTakeFirst(),
    );
    expect(deadLettered).toMatchObject({ consumer: 'probe-effects', body: '{"document": 1}' });
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
      const seen = tested.network.collect(documentIssued);
      await tested.network.connection.flush();
      const rolledBack = newEvent();
      const committed = newEvent();
      const opened = tested.service.app.get<Database<ProbeTables>>(kitTokens.database);
      const db = view(opened);
      await expect(
        relay.transaction(db, async (trx) => {
          await publish(trx, documentIssued, rolledBack.document.id, rolledBack);
          throw new Error('rolled back');
        }),
      ).rejects.toThrow('rolled back');
      await relay.transaction(db, (trx) => publish(trx, documentIssued, committed.document.id, committed));
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
        publish(trx, documentIssued, randomUUID(), { document: 1 } as never),
      ),
    ).rejects.toThrow('does not match its schema');
  });

  it('an event that JetStream may not have flushed is sent again at start and handled once', async () => {
    const { db } = tested.database;
    const [lately, longAgo] = [newEvent(), newEvent()];
    for (const [event, minutes] of [
      [lately, 4],
      [longAgo, 6],
    ] as const) {
      await db
        .insertInto('outbox')
        .values({
          id: randomUUID(),
          subject: `${documentIssued.subject}.${event.document.id}`,
          body: JSON.stringify(event),
          request_id: null,
          created_at: sql`now() - interval '1 hour'`,
          sent_at: sql<Date>`now() - make_interval(mins => ${minutes})`,
        })
        .execute();
    }
    const seen = tested.network.collect(documentIssued);
    const { connection } = tested.network;
    await connection.flush();
    const relay = new OutboxRelay(
      db,
      connection,
      jetstream(connection),
      async () => {},
      createLogger('test', 'silent'),
      Tracing.off,
    );
    relay.start();
    await eventually('the effect is there', async () => (await effects(lately.document.id)).length === 1);
    await relay.stop();
    // Older events that were lost are found by the reconciler, which knows what was handled.
    expect(seen.map((event) => event.document.id)).toEqual([lately.document.id]);
    const handled = await db.selectFrom('effect').select('document_id').execute();
    expect(new Set(handled.map((effect) => effect.document_id)).size).toBe(handled.length);
  });

  it('an event is delivered after the store of NATS was wiped', async () => {
    const manager = await jetstreamManager(tested.network.connection);
    await manager.streams.delete('EVT_ISSUING');
    const event = newEvent();
    await publishUnsent(tested.database.db, (trx) => publish(trx, documentIssued, event.document.id, event));
    await eventually(
      'the effect is there',
      async () => (await effects(event.document.id)).length === 1,
      30_000,
    );
  });

  it('the consumer messages of the installed nats have the private field that a drain needs', async () => {
    const { consumers } = jetstream(tested.network.connection);
    const consumer = await consumers.get('EVT_ISSUING', 'probe-effects');
    const messages = await consumer.consume({ max_messages: 1 });
    expect(subscriptionOf(messages).isClosed()).toBe(false);
    messages.stop();
  });
});
