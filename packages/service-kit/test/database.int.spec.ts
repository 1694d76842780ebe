import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import { documentCancelled, messageDue, natsAuthorization, outboxPageMax } from '@pinkas/contracts';
import { type RunningPostgres, startPostgres } from '@pinkas/local-stack/servers';
import {
  adminUrl,
  createTestDatabase,
  startTestNats,
  type TestDatabase,
  type TestServer,
} from '@pinkas/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { outboxEventsAfter } from '../src/events/outbox/outbox.repository.js';
import { purgeMessaging } from '../src/events/outbox/purge.js';
import { saveReader } from '../src/events/outbox/reader.repository.js';
import {
  createLogger,
  type Logger,
  type MessagingTables,
  startService,
  type Transaction,
} from '../src/index.js';
import { readConfig, serviceFields } from '../src/process/config.js';
import { migrate, provisionDatabase, sqlMigration, withDatabase, withRole } from '../src/schema.js';
import { probeMigrations } from './probe-service.js';

const logger = createLogger('test', 'silent');
const daysAgo = (days: number) => sql<Date>`now() - make_interval(days => ${days})`;
const rowCount = 300_000;
/** As many as one statement writes, so that it ends in time on a busy machine. */
const part = 25_000;
/** What is old of it, at the beginning. */
const oldCount = 2_500;
@Module({})
class Nothing {}
const password = '0f3c9a7be1d2';

describe('purgeMessaging', () => {
  let database: TestDatabase<MessagingTables>;
  beforeAll(async () => {
    database = await createTestDatabase<MessagingTables>(probeMigrations);
  });
  afterAll(() => database.close());

  const stored = async (createdDaysAgo: number, sentDaysAgo: number | null) => {
    const id = randomUUID();
    await database.db
      .insertInto('outbox')
      .values({
        id,
        subject: 'evt.issuing.document.issued.v1.x',
        body: '{}',
        request_id: null,
        created_at: daysAgo(createdDaysAgo),
        sent_at: sentDaysAgo === null ? null : daysAgo(sentDaysAgo),
      })
      .execute();
    return id;
  };
  const storedIds = async () =>
    (await database.db.selectFrom('outbox').select('id').execute()).map((row) => row.id).sort();
  const positionOf = async (id: string) =>
    (await database.db.selectFrom('outbox').select('position').where('id', '=', id).executeTakeFirstOrThrow())
      .position;

  it('the purge deletes outbox events a week after they were sent, and no unsent ones', async () => {
    const { db } = database;
    await db.deleteFrom('outbox').execute();
    await stored(8, 8);
    await stored(20, 8);
    // What JetStream, away for days, gets late is compared with the outbox for days after that.
    const kept = [await stored(6, 6), await stored(20, 6), await stored(8, null)];
    await purgeMessaging(db, { consumers: [], logger });
    expect(await storedIds()).toEqual(kept.sort());
  });

  it('the purge keeps events for three weeks that one of the consumers has not read', async () => {
    const { db } = database;
    await db.deleteFrom('outbox').execute();
    const consumers = ['customer-changed-cards', 'delivery-due-messages'];
    const purge = () => purgeMessaging(db, { consumers, logger });
    await stored(22, 22);
    const [first, second, young] = [await stored(20, 20), await stored(8, 8), await stored(6, 6)];
    // One consumer has never read.
    await saveReader(db, 'delivery-due-messages', await positionOf(young));
    await purge();
    expect(await storedIds()).toEqual([first, second, young].sort());
    await saveReader(db, 'customer-changed-cards', await positionOf(first));
    await purge();
    expect(await storedIds()).toEqual([second, young].sort());
    await saveReader(db, 'customer-changed-cards', await positionOf(young));
    // A consumer that was removed holds up nothing.
    await saveReader(db, 'removed', 0);
    await purge();
    expect(await storedIds()).toEqual([young]);
  });

  it('a warning names the consumer that delays the purge, and unread events that are purged are an error', async () => {
    const { db } = database;
    await db.deleteFrom('outbox').execute();
    await saveReader(db, 'customer-changed-cards', 0);
    await stored(22, 22);
    await stored(8, 8);
    const lines: unknown[] = [];
    const line = (level: string) => (facts: object, message: string) =>
      lines.push({ level, ...facts, message });
    const recording = { warn: line('warn'), error: line('error') } as unknown as Logger;
    await purgeMessaging(db, { consumers: ['customer-changed-cards'], logger: recording });
    expect(lines).toEqual([
      { level: 'warn', consumer: 'customer-changed-cards', unread_days: 22, message: 'outbox purge delayed' },
      { level: 'error', events: 1, message: 'unread outbox events purged' },
    ]);
  });

  it('the purge keeps inbox rows for 30 days, and as long as their dead letter exists', async () => {
    const { db } = database;
    const handled = async (consumer: string, handledDaysAgo: number, message_id: string = randomUUID()) => {
      await db
        .insertInto('inbox')
        .values({ consumer, message_id, handled_at: daysAgo(handledDaysAgo) })
        .execute();
      return message_id;
    };
    await handled('other', 31);
    // Three weeks in the outbox, unread by another consumer, and one in the stream.
    const kept = [await handled('probe-effects', 29), await handled('probe-effects', 31)];
    await handled('other', 31, kept[1]);
    await db
      .insertInto('dead_letter')
      .values({
        consumer: 'probe-effects',
        message_id: kept[1] ?? '',
        subject: 'evt.issuing.document.issued.v1.x',
        body: '{}',
        request_id: null,
        reason: 'given up',
        attempts: 10,
      })
      .execute();
    await purgeMessaging(db, { consumers: [], logger });
    const left = await db.selectFrom('inbox').select(['consumer', 'message_id']).execute();
    expect(left.map((row) => row.message_id).sort()).toEqual(kept.sort());
    expect(left.every((row) => row.consumer === 'probe-effects')).toBe(true);
  });
});

describe('queries over many rows', () => {
  let database: TestDatabase<MessagingTables>;
  const last = randomUUID();
  beforeAll(async () => {
    database = await createTestDatabase<MessagingTables>(probeMigrations);
    for (let from = 1; from <= rowCount; from += part) {
      const rows = sql`generate_series(${from}::int, ${from + part - 1}::int) n`;
      await sql`
        insert into outbox (id, subject, body, created_at, sent_at)
        select gen_random_uuid(), ${`${messageDue.subject}.x`}, '{}', made, made
        from ${rows},
          lateral (select now() - make_interval(days => case when n <= ${oldCount} then 8 else 1 end) as made) instant
      `.execute(database.db);
      await sql`
        insert into inbox (consumer, message_id, handled_at)
        select 'probe-effects', gen_random_uuid(),
          now() - make_interval(days => case when n <= ${oldCount} then 31 else 1 end)
        from ${rows}
      `.execute(database.db);
    }
    await sql`
      insert into outbox (id, subject, body, created_at, sent_at)
      values (${last}, ${`${documentCancelled.subject}.x`}, '{}', now() - interval '1 day', now())
    `.execute(database.db);
  });
  afterAll(() => database.close());

  /** How many rows of a table the connection has looked at: to be compared within a transaction, which resets no count. */
  const lookedAt = async (trx: Transaction<MessagingTables>, name: 'outbox' | 'inbox') => {
    const { rows } = await sql<{ rows: number }>`
      select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
      from pg_stat_xact_user_tables where relname = ${name}
    `.execute(trx);
    return rows[0]?.rows ?? 0;
  };

  it('a page of a rare subject reads a bounded number of rows, and the pages reach the end', async () => {
    const { db } = database;
    const page = (trx: Transaction<MessagingTables>, after: number) =>
      outboxEventsAfter(trx, documentCancelled.subject, after, outboxPageMax, 0);
    await db.transaction().execute(async (trx) => {
      const before = await lookedAt(trx, 'outbox');
      const { more, through } = await page(trx, 0);
      expect(more).toBe(true);
      expect(through).toBeGreaterThan(0);
      expect((await lookedAt(trx, 'outbox')) - before).toBeLessThan(10_000);
    });
    await db.transaction().execute(async (trx) => {
      const found: string[] = [];
      let after = 0;
      for (let more = true; more; ) {
        const next = await page(trx, after);
        found.push(...next.events.map((event) => event.id));
        if (next.more) {
          expect(next.through).toBeGreaterThan(after);
        }
        ({ through: after, more } = next);
      }
      expect(found).toEqual([last]);
    });
  });

  it('the purge deletes all old rows and reads few others', async () => {
    const { db } = database;
    await db.transaction().execute(async (trx) => {
      const before = { outbox: await lookedAt(trx, 'outbox'), inbox: await lookedAt(trx, 'inbox') };
      await purgeMessaging(trx, { consumers: [], logger });
      for (const name of ['outbox', 'inbox'] as const) {
        expect((await lookedAt(trx, name)) - before[name]).toBeLessThan(8 * oldCount);
      }
    });
    for (const name of ['outbox', 'inbox'] as const) {
      const { rows } = await sql<{ count: number }>`select count(*)::int from ${sql.table(name)}`.execute(db);
      expect(rows[0]?.count).toBe(rowCount - oldCount + (name === 'outbox' ? 1 : 0));
    }
  });
});

describe('provisionDatabase', () => {
  const suffix = randomUUID().slice(0, 8);
  const spec = {
    database: `provisioned_${suffix}`,
    owner: { name: `provisioned_owner_${suffix}`, password: "owner's $ecret" },
    login: { name: `provisioned_login_${suffix}`, password: 'login secret' },
  };
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('replicas that start together provision one database, and no statement contains a password', async () => {
    const statements = jest.spyOn(pg.Client.prototype, 'query');
    await Promise.all([1, 2, 3].map(() => provisionDatabase(adminUrl(), spec)));
    const texts = JSON.stringify(statements.mock.calls.map(([text]) => text));
    expect(texts).toContain(spec.login.name);
    for (const { name, password } of [spec.owner, spec.login]) {
      expect(texts).not.toContain(password);
      const client = new pg.Client({
        connectionString: withRole(withDatabase(adminUrl(), spec.database), { name, password }),
      });
      await client.connect();
      const { rows } = await client.query('select current_user as name');
      await client.end();
      expect(rows).toEqual([{ name }]);
    }
  });
});

describe('migrate', () => {
  it('a migration that cannot lock its table within seconds fails, and changes nothing', async () => {
    const first = { '0001-a': sqlMigration('create table a (n int)') };
    const database = await createTestDatabase<Record<never, never>>(first);
    const url = withDatabase(adminUrl(), new URL(database.url).pathname.slice(1));
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    try {
      await reader.query('begin');
      await reader.query('select * from a');
      const next = { ...first, '0002-b': sqlMigration('alter table a add m int') };
      await expect(migrate(url, next)).rejects.toMatchObject({
        message: 'Migration 0002-b failed',
        cause: { message: 'canceling statement due to lock timeout' },
      });
      await reader.query('commit');
      expect(await migrate(url, next)).toEqual(['0002-b']);
    } finally {
      await reader.end();
      await database.close();
    }
  });
});

describe('a service for real documents', () => {
  let open: TestServer;
  let guarded: TestServer;
  let postgres: RunningPostgres;
  beforeAll(async () => {
    const folder = join(process.env.PINKAS_TEST_HOME ?? '', 'durable-postgres');
    [open, guarded, postgres] = await Promise.all([
      startTestNats(),
      startTestNats(natsAuthorization(() => JSON.stringify(password))),
      startPostgres({ dataDir: folder, logFile: `${folder}.log`, durable: true }),
    ]);
  });
  afterAll(() => Promise.all([open.stop(), guarded.stop(), postgres.stop()]));

  const start = (nats: TestServer, databaseUrl: string) =>
    startService({
      name: 'gateway',
      module: Nothing,
      config: readConfig(serviceFields, {
        NATS_URL: nats.url.replace('nats://', `nats://gateway:${password}@`),
        DATABASE_URL: databaseUrl,
        HEALTH_PORT: '0',
        LOG_LEVEL: 'silent',
      }),
    });

  it('a service for real documents starts on NATS with users and a durable database', async () => {
    const service = await start(guarded, postgres.url);
    await service.stop();
  });

  it('a service for real documents rejects a database without fsync', async () => {
    await expect(start(guarded, adminUrl())).rejects.toThrow(/PostgreSQL has fsync off: a power failure/);
  });

  it.each(['off', 'local'])(
    'a service for real documents rejects a role with synchronous_commit %s',
    async (setting) => {
      const url = `${postgres.url}?options=${encodeURIComponent(`-c synchronous_commit=${setting}`)}`;
      await expect(start(guarded, url)).rejects.toThrow(`PostgreSQL has synchronous_commit ${setting}`);
    },
  );

  it('a service for real documents rejects a NATS without authentication', async () => {
    await expect(start(open, postgres.url)).rejects.toThrow(/NATS requires no authentication/);
  });
});
