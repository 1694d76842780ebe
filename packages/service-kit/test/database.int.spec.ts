import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import { documentCancelled, messageDue, natsAuthorization, outboxPageMax } from '@pinkas/contracts';
import { type RunningPostgres, startPostgres } from '@pinkas/local-stack/servers';
import {
  adminUrl,
  createTestDatabase,
  eventually,
  startTestNats,
  TcpProxy,
  type TestDatabase,
  type TestServer,
} from '@pinkas/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { ScopableDatabase, ScopedClient, TenantPool } from '../src/db/tenant-scope.js';
import { outboxEventsAfter } from '../src/events/outbox/outbox.repository.js';
import { purgeMessaging } from '../src/events/outbox/purge.js';
import { saveReader } from '../src/events/outbox/reader.repository.js';
import {
  acrossTenants,
  createLogger,
  type Database,
  forTenant,
  type Logger,
  type MessagingTables,
  openDatabase,
  startService,
  type Transaction,
} from '../src/index.js';
import { readConfig, serviceFields } from '../src/process/config.js';
import {
  enableTenantIsolation,
  migrate,
  provisionDatabase,
  sqlMigration,
  withDatabase,
  withRole,
} from '../src/schema.js';
import { probeMigrations } from './probe-service.js';

interface LedgerTables {
  ledger: { business_id: string; word: string };
  firm: { id: string; word: string };
}
const migrations = {
  '0001-ledger': sqlMigration(`
    create table ledger (
      business_id uuid not null,
      word        text not null,
      constraint ledger_pkey primary key (business_id, word)
    );
    ${enableTenantIsolation('ledger')}
    create table firm (id uuid not null constraint firm_pkey primary key, word text not null);
    ${enableTenantIsolation('firm', 'id')}
  `),
};
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

describe('row-level security', () => {
  let database: TestDatabase<LedgerTables>;
  const opened: Database<LedgerTables>[] = [];
  const [ours, theirs] = [randomUUID(), randomUUID()];
  /** Opens a database as a service does, with one connection, so that each use hands it on. */
  const open = (url = database.url) => {
    const db = openDatabase<LedgerTables>({
      url,
      poolSize: 1,
      applicationName: 'row-security',
      logger: createLogger('test', 'silent'),
    });
    opened.push(db);
    return db;
  };
  beforeAll(async () => {
    database = await createTestDatabase<LedgerTables>(migrations);
    await database.db
      .insertInto('ledger')
      .values([
        { business_id: ours, word: 'ours' },
        { business_id: theirs, word: 'theirs' },
      ])
      .execute();
    await database.db.insertInto('firm').values({ id: ours, word: 'ours' }).execute();
  });
  afterEach(async () => {
    for (const db of opened.splice(0)) {
      await db.destroy();
    }
  });
  afterAll(() => database.close());

  const words = async (db: Database<LedgerTables>) => {
    const rows = await db.selectFrom('ledger').select('word').orderBy('word').execute();
    return rows.map((row) => row.word);
  };
  const insert = (db: Database<LedgerTables>, businessId: string) =>
    db.insertInto('ledger').values({ business_id: businessId, word: randomUUID() }).execute();
  const refused = 'violates row-level security policy';

  it('a connection on which a statement had no answer is not used again', async () => {
    const proxy = await TcpProxy.start(database.url);
    const connectionString = Object.assign(new URL(database.url), { host: proxy.address }).href;
    const pool = new pg.Pool({ Client: ScopedClient, connectionString, max: 1, query_timeout: 3_000 });
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    const db = new ScopableDatabase<LedgerTables>(new TenantPool(pool));
    opened.push(db);
    try {
      expect(await words(forTenant(db, ours))).toEqual(['ours']);
      proxy.cut();
      const writing = forTenant(db, ours)
        .transaction()
        .execute((trx) => insert(trx, ours));
      await expect(writing).rejects.toThrow('timeout');
      proxy.forward();
      // In the transaction that was begun in vain it would be rolled back with it.
      const word = randomUUID();
      await forTenant(db, ours).insertInto('ledger').values({ business_id: ours, word }).execute();
      expect(await words(database.db)).toContain(word);
      await database.db.deleteFrom('ledger').where('word', '=', word).execute();
    } finally {
      await proxy.stop();
    }
  });

  it('a connection without a tenant scope sees no rows and writes none', async () => {
    const db = open();
    expect(await words(db)).toEqual([]);
    expect(await db.selectFrom('firm').selectAll().execute()).toEqual([]);
    await expect(insert(db, ours)).rejects.toThrow(refused);
    const changed = await db.updateTable('ledger').set({ word: 'changed' }).executeTakeFirstOrThrow();
    expect(changed.numUpdatedRows).toBe(0n);
    const deleted = await db.deleteFrom('ledger').executeTakeFirstOrThrow();
    expect(deleted.numDeletedRows).toBe(0n);
  });

  it('a tenant scope sees and writes the rows of its business only', async () => {
    const db = open();
    const own = forTenant(db, ours);
    expect(await words(own)).toEqual(['ours']);
    expect(await own.selectFrom('firm').select('word').execute()).toEqual([{ word: 'ours' }]);
    expect(await words(forTenant(db, randomUUID()))).toEqual([]);
    await expect(insert(own, theirs)).rejects.toThrow(refused);
    await expect(own.updateTable('ledger').set({ business_id: theirs }).execute()).rejects.toThrow(refused);
    await own.updateTable('ledger').set({ word: 'changed' }).execute();
    expect(await words(acrossTenants(db))).toEqual(['changed', 'theirs']);
    await own.updateTable('ledger').set({ word: 'ours' }).execute();
  });

  it('acrossTenants sees and writes the rows of all businesses', async () => {
    const every = acrossTenants(open());
    expect(await words(every)).toEqual(['ours', 'theirs']);
    const stranger = randomUUID();
    await insert(every, stranger);
    await every.deleteFrom('ledger').where('business_id', '=', stranger).execute();
  });

  it('row-level security applies to the owner of the table', async () => {
    const db = open(database.ownerUrl);
    expect(await words(db)).toEqual([]);
    await expect(insert(db, ours)).rejects.toThrow(refused);
    expect(await words(forTenant(db, theirs))).toEqual(['theirs']);
  });

  it('the login role neither owns the tables nor bypasses the policy', async () => {
    const { rows } = await sql<{ owned: boolean; rolsuper: boolean; rolbypassrls: boolean }>`
      select pg_has_role(current_user, relowner, 'member') as owned, rolsuper, rolbypassrls
      from pg_class, pg_roles where relname = 'ledger' and rolname = current_user`.execute(open());
    expect(rows).toEqual([{ owned: false, rolsuper: false, rolbypassrls: false }]);
  });

  it('a pooled connection does not keep the tenant scope of its last user', async () => {
    const db = open();
    const [own, other, every] = [forTenant(db, ours), forTenant(db, theirs), acrossTenants(db)];
    for (let round = 0; round < 3; round += 1) {
      expect(await words(own)).toEqual(['ours']);
      expect(await words(other)).toEqual(['theirs']);
      expect(await words(db)).toEqual([]);
      expect(await words(every)).toEqual(['ours', 'theirs']);
      expect(await words(other)).toEqual(['theirs']);
      await own.transaction().execute(async (trx) => expect(await words(trx)).toEqual(['ours']));
      expect(await words(db)).toEqual([]);
    }
    const seen = await Promise.all([own, other, db, every, own, other].map(words));
    expect(seen).toEqual([['ours'], ['theirs'], [], ['ours', 'theirs'], ['ours'], ['theirs']]);
  });

  it('a prepared statement sees the rows of the scope in which it is executed', async () => {
    const db = open();
    const firms = async (scope: Database<LedgerTables>) =>
      (await scope.selectFrom('firm').select('word').where('word', '!=', 'other').execute()).length;
    // PostgreSQL may keep the plan of a prepared statement from the sixth execution on.
    for (let round = 0; round < 8; round += 1) {
      expect(await firms(forTenant(db, ours))).toBe(1);
      expect(await firms(forTenant(db, theirs))).toBe(0);
      expect(await firms(db)).toBe(0);
      expect(await forTenant(db, ours).transaction().execute(firms)).toBe(1);
    }
  });

  it.each([
    ['work that fails', () => Promise.reject(new Error('no'))],
    ['a statement that fails', (trx: Database<LedgerTables>) => sql`select 1 / 0`.execute(trx)],
  ])('never show after a transaction that was rolled back for %s', async (_why, fail) => {
    const db = open();
    const [own, other] = [forTenant(db, ours), forTenant(db, theirs)];
    await words(other);
    // The view changes for this transaction, and the rollback must not change it back.
    await expect(own.transaction().execute(fail)).rejects.toThrow();
    expect(await words(own)).toEqual(['ours']);
    expect(await words(other)).toEqual(['theirs']);
    await expect(other.transaction().execute(fail)).rejects.toThrow();
    expect(await words(db)).toEqual([]);
    expect(await words(other)).toEqual(['theirs']);
  });

  it('a connection in an open transaction is not reused', async () => {
    const db = open();
    const [own, other] = [forTenant(db, ours), forTenant(db, theirs)];
    await words(own);
    // What a process leaves whose rollback failed: whatever is set in such a transaction, its end takes back.
    await sql`begin`.execute(own);
    expect(await words(other)).toEqual(['theirs']);
    await sql`rollback`.execute(other);
    expect(await words(other)).toEqual(['theirs']);
    expect(await words(own)).toEqual(['ours']);
  });

  it('a connection that replaces a lost one has its own tenant scope', async () => {
    const db = open();
    const own = forTenant(db, ours);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(own);
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.db);
    // The pool may learn of it from a statement that fails.
    const seen = await eventually('there is a connection again', () => words(own));
    expect(seen).toEqual(['ours']);
    expect(await words(db)).toEqual([]);
  });

  it('the tenant scope is set only where the connection had another one, and with the begin of a transaction', async () => {
    const statements: string[] = [];
    const { query } = pg.Client.prototype;
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      statements.push((args[0] as { text: string }).text);
      return Reflect.apply(query, this, args);
    } as typeof query;
    try {
      const db = open();
      const settings = () => statements.splice(0).filter((text) => text.includes('set_config')).length;
      await words(db);
      expect(settings()).toBe(0);
      await words(forTenant(db, ours));
      expect(settings()).toBe(1);
      await words(forTenant(db, ours));
      await forTenant(db, ours.toUpperCase()).transaction().execute(words);
      expect(settings()).toBe(0);
      await words(forTenant(db, theirs));
      expect(settings()).toBe(1);
      await forTenant(db, ours).transaction().execute(words);
      await words(forTenant(db, theirs));
      expect(statements).toHaveLength(4);
      expect(settings()).toBe(0);
    } finally {
      pg.Client.prototype.query = query;
    }
  });

  it('a statement whose tenant scope could not be set fails, and its connection is not reused', async () => {
    const db = open();
    await words(forTenant(db, ours));
    const { query } = pg.Client.prototype;
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const [{ text }] = args as [{ text: string }];
      return Reflect.apply(query, this, text.includes('set_config') ? ['select 1 / 0'] : args);
    } as typeof query;
    try {
      await expect(words(forTenant(db, theirs))).rejects.toThrow('division by zero');
    } finally {
      pg.Client.prototype.query = query;
    }
    expect(await words(forTenant(db, theirs))).toEqual(['theirs']);
    expect(await words(forTenant(db, ours))).toEqual(['ours']);
  });

  it.each(['*', '', 'x', `${randomUUID()}'`])('forTenant rejects the business id %j', (name) => {
    expect(() => forTenant(open(), name)).toThrow('the id of a business must be a UUID');
  });

  it('a tenant scope cannot be widened or changed', () => {
    const own = forTenant(open(), ours);
    expect(() => acrossTenants(own)).toThrow('scoped already');
    expect(() => forTenant(own, theirs)).toThrow('scoped already');
  });

  it('closing the database closes all its tenant scopes', async () => {
    const db = open();
    const own = forTenant(db, ours);
    await words(own);
    await db.destroy();
    await expect(words(own)).rejects.toThrow('after calling end on the pool');
    await own.destroy();
  });
});

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
