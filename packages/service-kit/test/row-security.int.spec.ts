import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, eventually, TcpProxy, type TestDatabase } from '@pinkas/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { ScopableDatabase, ScopedClient, TenantPool } from '../src/db/tenant-scope.js';
import { acrossTenants, createLogger, type Database, forTenant, openDatabase } from '../src/index.js';
import { enableTenantIsolation, sqlMigration } from '../src/schema.js';

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
