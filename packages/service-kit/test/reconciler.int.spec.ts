import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { documentIssued, messaging } from '@pinkas/contracts';
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
  const settled = () =>
    eventually('everything is settled', async () => (await cursor()) === (await lastPosition()));

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
    await startConsumer();
    const events = [newEvent(), newEvent(), newEvent()];
    for (const event of events) {
      await owner.publishEvent(event);
    }
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
      .set({ created_at: sql`now() - interval '10 days'` })
      .execute();
    await purge();
    expect([await isStored(first), await isStored(second)]).toEqual([false, true]);
    // While its handler fails the consumer has not read the event, though it has listed it.
    let attempts = 0;
    probe.handled = async () => {
      attempts += 1;
      if (attempts < 3) {
        await purge();
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
    await network.publish(documentIssued, other.document.id, other);
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
          subject: `${documentIssued.subject}.${hole.document.id}`,
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
    await network.publish(documentIssued, event.document.id, event, id);
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

  it('the reconciler dead-letters an event that keeps failing and handles the others', async () => {
    const [bad, good] = [newEvent(), newEvent()];
    const checkpointAtAttempts: number[] = [];
    probe.handled = async ({ document }) => {
      if (document.id !== bad.document.id) {
        return;
      }
      checkpointAtAttempts.push(await cursor());
      throw new Error('the printer is unavailable');
    };
    await owner.storeLostEvent(bad);
    await owner.storeLostEvent(good);
    await startConsumer();
    await eventually('the good one is handled', async () => (await effects()).includes(good.document.id));
    await settled();
    const deadLettered = await database.db.selectFrom('dead_letter').selectAll().execute();
    expect(deadLettered).toMatchObject([{ consumer, reason: 'the printer is unavailable', attempts: 20 }]);
    // Nothing that is not settled is ever passed over.
    expect(checkpointAtAttempts).toEqual(Array.from({ length: 20 }, () => 0));
    expect(await effects()).toEqual([good.document.id]);
    await eventually('the attempts are forgotten', async () => {
      const left = await database.db.selectFrom('reconcile_attempt').selectAll().execute();
      return left.length === 0;
    });
  });

  it('three replicas together attempt an event once in each interval', async () => {
    let attempts = 0;
    let fetches = 0;
    probe.handled = async () => {
      attempts += 1;
      throw new Error('the printer is unavailable');
    };
    await owner.storeLostEvent(newEvent());
    network.connection.subscribe(messaging.issuing.getOutboxEvent.subject, {
      callback: () => {
        fetches += 1;
      },
    });
    // Each looks once, at its start.
    const replicas = await Promise.all([1, 2, 3].map(() => startReplica(60 * 60 * 1000)));
    await eventually('each has found the event', () => fetches === replicas.length);
    await Promise.all(replicas.map((replica) => replica.stop()));
    expect(attempts).toBe(1);
    expect(await database.db.selectFrom('reconcile_attempt').select('attempts').execute()).toEqual([
      { attempts: 1 },
    ]);
  });

  it('the reconciler dead-letters an event whose attempts end their process', async () => {
    const event = newEvent();
    const id = randomUUID();
    let attempts = 0;
    probe.handled = async () => {
      attempts += 1;
    };
    await owner.storeLostEvent(event, id);
    // Twenty attempts began, and none of them ended.
    await database.db
      .insertInto('reconcile_attempt')
      .values({ consumer, message_id: id, attempts: 20 })
      .execute();
    await startConsumer();
    await settled();
    expect(attempts).toBe(0);
    const deadLettered = await database.db.selectFrom('dead_letter').selectAll().execute();
    expect(deadLettered).toMatchObject([{ message_id: id, reason: 'all attempts ended with their process' }]);
  });

  it('the reconciler ignores dead-lettered events', async () => {
    const event = newEvent();
    const id = randomUUID();
    await database.db
      .insertInto('dead_letter')
      .values({
        consumer,
        message_id: id,
        subject: `${documentIssued.subject}.${event.document.id}`,
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
