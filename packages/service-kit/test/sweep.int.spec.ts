import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { documentIssued } from '@pinkas/contracts';
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
import { type RunningService, startService } from '../src/index.js';
import { AnnouncingService } from './announcing-service.js';
import { newEvent, type ProbeTables, probe, probeMigrations, probeService } from './probe-service.js';

const consumer = 'probe-effects';

describe('the sweep', () => {
  let nats: TestNats;
  let network: TestNetwork;
  let owner: AnnouncingService;
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
    owner = await AnnouncingService.start(nats.url);
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

  const manager = () => network.connection.jetstreamManager();
  const startConsumer = async () => {
    running = await startService({
      ...probeService,
      config: {
        ...serviceConfig({ natsUrl: nats.url, databaseUrl: database.url }),
        sweepEveryMs: 50,
      },
    });
  };
  const effects = async () =>
    (await database.db.selectFrom('effect').select('document_id').execute()).map((row) => row.document_id);
  const cursor = async () =>
    (await database.db.selectFrom('sweep').select('position').executeTakeFirst())?.position ?? 0;
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

  it('finds what was purged from the stream before it was handled, and handles it once', async () => {
    const events = [newEvent(), newEvent(), newEvent()];
    for (const event of events) await owner.announce(event);
    const { streams } = await manager();
    expect((await streams.purge('EVT_ISSUING')).purged).toBe(3);
    await startConsumer();
    await settled();
    expect((await effects()).sort()).toEqual(events.map((event) => event.document.id).sort());
  });

  it('finds what was under way when the whole store of NATS was lost', async () => {
    let mended = false;
    const tried = new Set<string>();
    probe.handled = async ({ document }) => {
      tried.add(document.id);
      if (!mended) throw new Error('not yet');
    };
    await startConsumer();
    const events = [newEvent(), newEvent(), newEvent()];
    for (const event of events) await owner.announce(event);
    await eventually('each was tried', () => tried.size === events.length);
    await owner.age();
    await nats.wipe();
    mended = true;
    await settled();
    expect((await effects()).sort()).toEqual(events.map((event) => event.document.id).sort());
    // The stream works again as well.
    const next = newEvent();
    await eventually('the announcing service is connected again', () =>
      owner.announce(next).then(
        () => true,
        () => false,
      ),
    );
    await eventually('it is handled', async () => (await effects()).includes(next.document.id));
  });

  it('waits for the owner of an event that is away', async () => {
    const event = newEvent();
    await owner.announceIntoTheVoid(event);
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

  it('finds a hole in the middle of what has arrived', async () => {
    await startConsumer();
    const events = Array.from({ length: 5 }, () => newEvent());
    for (const [index, event] of events.entries()) {
      if (index === 2) await owner.announceIntoTheVoid(event);
      else await owner.announce(event);
    }
    await settled();
    expect((await effects()).sort()).toEqual(events.map((event) => event.document.id).sort());
  });

  it('finds one hole among more announcements than a page holds', async () => {
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

  it('and the stream together have one effect, also at the same instant', async () => {
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
    await owner.announceIntoTheVoid(event, id);
    await network.publish(documentIssued, event.document.id, event, id);
    await eventually('one waits for the other', async () => {
      const { rows } = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
      `.execute(database.db);
      return rows.length === 1;
    });
    release();
    await settled();
    const { consumers } = network.connection.jetstream();
    await eventually('the stream is through with it', async () => {
      const info = await (await consumers.get('EVT_ISSUING', consumer)).info();
      return info.num_ack_pending === 0 && info.num_pending === 0;
    });
    expect(handled).toBe(1);
    expect(await effects()).toEqual([event.document.id]);
  });

  it('parks what keeps failing after bounded tries, and goes on with the others meanwhile', async () => {
    const [bad, good] = [newEvent(), newEvent()];
    const cursorAtTries: number[] = [];
    probe.handled = async ({ document }) => {
      if (document.id !== bad.document.id) return;
      cursorAtTries.push(await cursor());
      throw new Error('the printer is away');
    };
    await owner.announceIntoTheVoid(bad);
    await owner.announceIntoTheVoid(good);
    await startConsumer();
    await eventually('the good one is handled', async () => (await effects()).includes(good.document.id));
    await settled();
    const parked = await database.db.selectFrom('dead_letter').selectAll().execute();
    expect(parked).toMatchObject([{ consumer, reason: 'the printer is away', attempts: 20 }]);
    // Nothing that is not settled is ever passed over.
    expect(cursorAtTries).toEqual(Array.from({ length: 20 }, () => 0));
    expect(await effects()).toEqual([good.document.id]);
    await eventually('the tries are forgotten', async () => {
      const left = await database.db.selectFrom('sweep_try').selectAll().execute();
      return left.length === 0;
    });
  });

  it('parks what ends its process each time that it is tried', async () => {
    const event = newEvent();
    const id = randomUUID();
    let tries = 0;
    probe.handled = async () => {
      tries += 1;
    };
    await owner.announceIntoTheVoid(event, id);
    // Twenty tries were begun, and nobody lived to say what became of them.
    await database.db.insertInto('sweep_try').values({ consumer, message_id: id, tries: 20 }).execute();
    await startConsumer();
    await settled();
    expect(tries).toBe(0);
    const parked = await database.db.selectFrom('dead_letter').selectAll().execute();
    expect(parked).toMatchObject([{ message_id: id, reason: 'it was tried without coming to an end' }]);
  });

  it('leaves alone what is parked already', async () => {
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
    await owner.announceIntoTheVoid(event, id);
    await startConsumer();
    await settled();
    expect(await effects()).toEqual([]);
  });
});
