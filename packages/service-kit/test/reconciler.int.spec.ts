import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { eventSubject, messageDue, messaging } from '@pinkas/contracts';
import {
  createTestDatabase,
  eventually,
  serviceConfig,
  startTestNats,
  type TestDatabase,
  type TestNats,
  TestNetwork,
} from '@pinkas/testkit';
import { sql } from 'kysely';
import { purgeMessaging } from '../src/events/outbox/purge.js';
import { createLogger, type RunningService, startService } from '../src/index.js';
import { newEvent, type ProbeTables, probe, probeMigrations, probeService } from './probe-service.js';
import { PublishingService } from './publishing-service.js';

const consumer = 'probe-effects';

describe('Reconciler', () => {
  let nats: TestNats;
  let network: TestNetwork;
  let owner: PublishingService;
  let database: TestDatabase<ProbeTables>;
  let running: RunningService | undefined;

  beforeAll(async () => {
    nats = await startTestNats();
    network = await TestNetwork.open(nats.url);
  });
  afterAll(async () => {
    await network.close();
    await nats.stop();
  });
  beforeEach(async () => {
    owner = await PublishingService.start(nats.url);
    database = await createTestDatabase<ProbeTables>(probeMigrations);
  });
  afterEach(async () => {
    probe.handled = async () => {};
    await running?.stop();
    running = undefined;
    await owner.stop();
    await database.close();
    await manager().then(({ streams }) => streams.delete('EVT_ISSUING'));
  });

  const manager = () => jetstreamManager(network.connection);
  const startReplica = (reconcileEveryMs: number) =>
    startService({
      ...probeService,
      config: {
        ...serviceConfig({ natsUrl: nats.url, databaseUrl: database.url }),
        // Fewer than the pool has connections, so that a test can hold all that are in flight.
        consumerConcurrency: 4,
        reconcileEveryMs,
      },
    });
  const startConsumer = async () => {
    running = await startReplica(50);
  };
  const effects = async () =>
    (await database.db.selectFrom('effect').select('document_id').execute()).map((row) => row.document_id);
  const cursor = async () =>
    (await database.db.selectFrom('reconcile_checkpoint').select('position').executeTakeFirst())?.position ??
    0;
  const lastPosition = async () =>
    Number(
      (
        await owner.database.db
          .selectFrom('outbox')
          .select((of) => of.fn.max('position').as('last'))
          .executeTakeFirstOrThrow()
      ).last,
    );
  const compared = () =>
    eventually('all is compared', async () => (await cursor()) === (await lastPosition()));
  const settled = () =>
    eventually('everything is settled', async () => {
      await compared();
      return (await database.db.selectFrom('due_event').select('attempts').execute()).length === 0;
    });

  it('the reconciler handles an event that was purged from its stream, once', async () => {
    const events = [newEvent(), newEvent(), newEvent()];
    for (const event of events) {
      await owner.publishEvent(event);
    }
    const { streams } = await manager();
    expect((await streams.purge('EVT_ISSUING')).purged).toBe(3);
    await startConsumer();
    await settled();
    expect((await effects()).sort()).toEqual(events.map((event) => event.document.id).sort());
  });

  it('the reconciler handles events that were lost with the store of NATS', async () => {
    let fixed = false;
    const tried = new Set<string>();
    probe.handled = async ({ document }) => {
      tried.add(document.id);
      if (!fixed) {
        throw new Error('not yet');
      }
    };
    // Attempts that end with a dead letter take ten seconds.
    running = await startReplica(500);
    const events = [newEvent(), newEvent(), newEvent()];
    await Promise.all(events.map((event) => owner.publishEvent(event)));
    await eventually('each was tried', () => tried.size === events.length);
    await owner.age();
    await nats.wipe();
    fixed = true;
    await settled();
    expect((await effects()).sort()).toEqual(events.map((event) => event.document.id).sort());
    // The stream works again as well.
    const next = newEvent();
    await eventually('the publishing service is connected again', () =>
      owner.publishEvent(next).then(
        () => true,
        () => false,
      ),
    );
    await eventually('it is handled', async () => (await effects()).includes(next.document.id));
  });

  it('the owner keeps an event for weeks until the reconciler of a stopped consumer has read it', async () => {
    const purge = () =>
      purgeMessaging(owner.database.db, { consumers: [consumer], logger: createLogger('test', 'silent') });
    const isStored = async (id: string) =>
      (await owner.database.db.selectFrom('outbox').where('id', '=', id).select('id').execute()).length === 1;
    const readTo = async () =>
      (await owner.database.db.selectFrom('outbox_reader').select('position').executeTakeFirst())?.position;
    const [first, second] = [randomUUID(), randomUUID()];
    const [before, during] = [newEvent(), newEvent()];
    await owner.storeLostEvent(before, first);
    await startConsumer();
    await settled();
    await eventually('the owner knows it', async () => (await readTo()) === (await lastPosition()));
    await running?.stop();
    await owner.storeLostEvent(during, second);
    await owner.database.db
      .updateTable('outbox')
      .set({ created_at: sql`now() - interval '10 days'`, sent_at: sql`now() - interval '10 days'` })
      .execute();
    await purge();
    expect([await isStored(first), await isStored(second)]).toEqual([false, true]);
    let attempts = 0;
    probe.handled = async () => {
      attempts += 1;
      if (attempts < 3) {
        throw new Error('not yet');
      }
    };
    await startConsumer();
    await settled();
    expect(attempts).toBe(3);
    expect((await effects()).sort()).toEqual([before.document.id, during.document.id].sort());
    await eventually('it is purged', async () => {
      await purge();
      return !(await isStored(second));
    });
  });

  it('the reconciler waits for an unavailable owner', async () => {
    const event = newEvent();
    await owner.storeLostEvent(event);
    await owner.goAway();
    await startConsumer();
    const other = newEvent();
    await network.publish(messageDue, other.document.id, other);
    await eventually('the stream is handled meanwhile', async () =>
      (await effects()).includes(other.document.id),
    );
    expect(await cursor()).toBe(0);
    await owner.comeBack();
    await settled();
    expect((await effects()).sort()).toEqual([event.document.id, other.document.id].sort());
  });

  it('the reconciler finds a missing event among handled ones', async () => {
    await startConsumer();
    const events = Array.from({ length: 5 }, () => newEvent());
    for (const [index, event] of events.entries()) {
      if (index === 2) {
        await owner.storeLostEvent(event);
      } else {
        await owner.publishEvent(event);
      }
    }
    await settled();
    expect((await effects()).sort()).toEqual(events.map((event) => event.document.id).sort());
  });

  it('the reconciler finds one missing event among several pages', async () => {
    const { db } = owner.database;
    const hole = newEvent();
    await db.transaction().execute(async (trx) => {
      const fill = (from: number, to: number) => sql`
        insert into outbox (id, subject, body, sent_at)
        select md5(n::text)::uuid, 'evt.issuing.document.issued.v1.' || n, '{}', now() from generate_series(${from}::int, ${to}::int) n
      `;
      await fill(1, 700).execute(trx);
      await trx
        .insertInto('outbox')
        .values({
          id: randomUUID(),
          subject: `${messageDue.subject}.${hole.document.id}`,
          body: JSON.stringify(hole),
          request_id: null,
          sent_at: sql`now() - interval '1 hour'`,
        })
        .execute();
      await fill(701, 1_200).execute(trx);
    });
    await sql`
      insert into inbox (consumer, message_id) select ${consumer}, md5(n::text)::uuid from generate_series(1, 1200) n
    `.execute(database.db);
    await startConsumer();
    await settled();
    expect(await effects()).toEqual([hole.document.id]);
  });

  it('an event from the stream and the reconciler at the same time has one effect', async () => {
    const event = newEvent();
    const id = randomUUID();
    let handled = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    probe.handled = async () => {
      handled += 1;
      await released;
    };
    await startConsumer();
    await owner.storeLostEvent(event, id);
    await network.publish(messageDue, event.document.id, event, id);
    await eventually('one waits for the other', async () => {
      const { rows } = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
      `.execute(database.db);
      return rows.length === 1;
    });
    release();
    await settled();
    const { consumers } = jetstream(network.connection);
    await eventually('the stream is through with it', async () => {
      const info = await (await consumers.get('EVT_ISSUING', consumer)).info();
      return info.num_ack_pending === 0 && info.num_pending === 0;
    });
    expect(handled).toBe(1);
    expect(await effects()).toEqual([event.document.id]);
  });

  it('an event that the reconciler has made due is dead-lettered after its last attempt, and blocks no other', async () => {
    const [bad, good] = [newEvent(), newEvent()];
    probe.handled = async ({ document }) => {
      if (document.id === bad.document.id) {
        throw new Error('the printer is unavailable');
      }
    };
    await owner.storeLostEvent(bad);
    await owner.storeLostEvent(good);
    await startConsumer();
    await eventually('the good one is handled', async () => (await effects()).includes(good.document.id));
    await compared();
    const due = () => database.db.selectFrom('due_event').selectAll().execute();
    await eventually(
      'the bad one has failed',
      async () => (await due())[0]?.reason === 'the printer is unavailable',
    );
    await eventually('it was attempted for the last time', async () => {
      await database.db
        .updateTable('due_event')
        .set({ attempts: 9, next_attempt_at: sql<Date>`now()` })
        .where('claimed_until', 'is', null)
        .execute();
      return (await due()).length === 0;
    });
    const deadLettered = await database.db.selectFrom('dead_letter').selectAll().execute();
    expect(deadLettered).toMatchObject([{ consumer, reason: 'the printer is unavailable', attempts: 10 }]);
    expect(await effects()).toEqual([good.document.id]);
  });

  const countFetches = () => {
    const fetched = { count: 0 };
    network.connection.subscribe(messaging.issuing.getOutboxEvent.subject, {
      callback: () => {
        fetched.count += 1;
      },
    });
    return fetched;
  };

  it('one of three replicas fetches an event in each interval', async () => {
    // The stream knows the consumer then.
    await owner.storeLostEvent(newEvent());
    await startConsumer();
    await settled();
    await running?.stop();
    let attempts = 0;
    probe.handled = async () => {
      attempts += 1;
      throw new Error('the printer is unavailable');
    };
    await owner.storeLostEvent(newEvent());
    const fetched = countFetches();
    // Each looks once, at its start.
    const replicas = await Promise.all([1, 2, 3].map(() => startReplica(60 * 60 * 1000)));
    await eventually('one has found the event', () => attempts > 0);
    await Promise.all(replicas.map((replica) => replica.stop()));
    expect(fetched.count).toBe(1);
    expect(await database.db.selectFrom('due_event').select('reason').execute()).toHaveLength(1);
  });

  it('the reconciler fetches nothing for ten minutes while the stream has a backlog for its consumer', async () => {
    const lost = newEvent();
    await owner.storeLostEvent(lost);
    const events = Array.from({ length: 10 }, () => newEvent());
    await Promise.all(events.map((event) => owner.publishEvent(event)));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    probe.handled = ({ document }) => (document.id === lost.document.id ? Promise.resolve() : released);
    const fetched = countFetches();
    let ticks = 0;
    network.connection.subscribe(`$JS.API.CONSUMER.INFO.EVT_ISSUING.${consumer}`, {
      callback: () => {
        ticks += 1;
      },
    });
    await startConsumer();
    await eventually('several ticks have begun', () => ticks > 5);
    expect(fetched.count).toBe(0);
    await database.db
      .updateTable('reconcile_checkpoint')
      .set({ claimed_until: sql`now() - interval '10 minutes'` })
      .execute();
    await eventually('the lost event is handled', async () => (await effects()).includes(lost.document.id));
    release();
    await settled();
    expect((await effects()).sort()).toEqual([lost, ...events].map(({ document }) => document.id).sort());
  });

  it('an event whose attempts end their process is dead-lettered', async () => {
    const event = newEvent();
    const id = randomUUID();
    let attempts = 0;
    probe.handled = async () => {
      attempts += 1;
    };
    await owner.storeLostEvent(event, id);
    // Ten attempts began, and the last has not ended.
    await database.db
      .insertInto('due_event')
      .values({
        consumer,
        message_id: id,
        subject: eventSubject(messageDue, event.document.id),
        body: JSON.stringify(event),
        request_id: null,
        reason: null,
        attempts: 10,
        next_attempt_at: sql<Date>`now() - interval '1 minute'`,
        claimed_until: sql<Date>`now() - interval '1 second'`,
      })
      .execute();
    await startConsumer();
    await eventually('it is dead-lettered', async () => {
      const letters = await database.db.selectFrom('dead_letter').selectAll().execute();
      return letters.length === 1 && letters[0]?.reason === 'the last attempt ended with its process';
    });
    expect(attempts).toBe(0);
  });

  it('the reconciler ignores dead-lettered events', async () => {
    const event = newEvent();
    const id = randomUUID();
    await database.db
      .insertInto('dead_letter')
      .values({
        consumer,
        message_id: id,
        subject: `${messageDue.subject}.${event.document.id}`,
        body: JSON.stringify(event),
        request_id: null,
        reason: 'given up',
        attempts: 10,
      })
      .execute();
    await owner.storeLostEvent(event, id);
    await startConsumer();
    await settled();
    expect(await effects()).toEqual([]);
  });
});
