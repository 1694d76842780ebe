import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, eventually, type TestDatabase } from '@pinkas/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { createLogger, type Database, ofBusiness, ofEveryBusiness, openDatabase } from '../src/index.js';
import { hideFromOthers, sqlMigration } from '../src/schema.js';

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
    ${hideFromOthers('ledger')}
    create table firm (id uuid not null constraint firm_pkey primary key, word text not null);
    ${hideFromOthers('firm', 'id')}
  `),
};

describe('the rows of a business', () => {
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
    for (const db of opened.splice(0)) await db.destroy();
  });
  afterAll(() => database.close());

  const words = async (db: Database<LedgerTables>) => {
    const rows = await db.selectFrom('ledger').select('word').orderBy('word').execute();
    return rows.map((row) => row.word);
  };
  const insert = (db: Database<LedgerTables>, businessId: string) =>
    db.insertInto('ledger').values({ business_id: businessId, word: randomUUID() }).execute();
  const refused = 'violates row-level security policy';

  it('are hidden from whoever has not said which business it is, and nothing can be written', async () => {
    const db = open();
    expect(await words(db)).toEqual([]);
    expect(await db.selectFrom('firm').selectAll().execute()).toEqual([]);
    await expect(insert(db, ours)).rejects.toThrow(refused);
    const changed = await db.updateTable('ledger').set({ word: 'changed' }).executeTakeFirstOrThrow();
    expect(changed.numUpdatedRows).toBe(0n);
    const deleted = await db.deleteFrom('ledger').executeTakeFirstOrThrow();
    expect(deleted.numDeletedRows).toBe(0n);
  });

  it('are seen and written by that business alone', async () => {
    const db = open();
    const own = ofBusiness(db, ours);
    expect(await words(own)).toEqual(['ours']);
    expect(await own.selectFrom('firm').select('word').execute()).toEqual([{ word: 'ours' }]);
    expect(await words(ofBusiness(db, randomUUID()))).toEqual([]);
    await expect(insert(own, theirs)).rejects.toThrow(refused);
    await expect(own.updateTable('ledger').set({ business_id: theirs }).execute()).rejects.toThrow(refused);
    await own.updateTable('ledger').set({ word: 'changed' }).execute();
    expect(await words(ofEveryBusiness(db))).toEqual(['changed', 'theirs']);
    await own.updateTable('ledger').set({ word: 'ours' }).execute();
  });

  it('are seen and written by work that belongs to none', async () => {
    const every = ofEveryBusiness(open());
    expect(await words(every)).toEqual(['ours', 'theirs']);
    const stranger = randomUUID();
    await insert(every, stranger);
    await every.deleteFrom('ledger').where('business_id', '=', stranger).execute();
  });

  it('are hidden from the owner of the table too', async () => {
    const db = open(database.ownerUrl);
    expect(await words(db)).toEqual([]);
    await expect(insert(db, ours)).rejects.toThrow(refused);
    expect(await words(ofBusiness(db, theirs))).toEqual(['theirs']);
  });

  it('are served by a role that neither owns the tables nor may pass the policy by', async () => {
    const { rows } = await sql<{ owned: boolean; rolsuper: boolean; rolbypassrls: boolean }>`
      select pg_has_role(current_user, relowner, 'member') as owned, rolsuper, rolbypassrls
      from pg_class, pg_roles where relname = 'ledger' and rolname = current_user`.execute(open());
    expect(rows).toEqual([{ owned: false, rolsuper: false, rolbypassrls: false }]);
  });

  it('never show through a connection that is handed on', async () => {
    const db = open();
    const [own, other, every] = [ofBusiness(db, ours), ofBusiness(db, theirs), ofEveryBusiness(db)];
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

  it.each([
    ['work that fails', () => Promise.reject(new Error('no'))],
    ['a statement that fails', (trx: Database<LedgerTables>) => sql`select 1 / 0`.execute(trx)],
  ])('never show after a transaction that was rolled back for %s', async (_why, fail) => {
    const db = open();
    const [own, other] = [ofBusiness(db, ours), ofBusiness(db, theirs)];
    await words(other);
    // The view changes for this transaction, and the rollback must not change it back.
    await expect(own.transaction().execute(fail)).rejects.toThrow();
    expect(await words(own)).toEqual(['ours']);
    expect(await words(other)).toEqual(['theirs']);
    await expect(other.transaction().execute(fail)).rejects.toThrow();
    expect(await words(db)).toEqual([]);
    expect(await words(other)).toEqual(['theirs']);
  });

  it('never show after a transaction that nobody ended', async () => {
    const db = open();
    const [own, other] = [ofBusiness(db, ours), ofBusiness(db, theirs)];
    await words(own);
    // What a process leaves whose rollback failed: whatever is set in such a transaction, its end takes back.
    await sql`begin`.execute(own);
    expect(await words(other)).toEqual(['theirs']);
    await sql`rollback`.execute(other);
    expect(await words(other)).toEqual(['theirs']);
    expect(await words(own)).toEqual(['ours']);
  });

  it('never show through a connection that took the place of a lost one', async () => {
    const db = open();
    const own = ofBusiness(db, ours);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(own);
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.db);
    // The pool may learn of it from a statement that fails.
    const seen = await eventually('there is a connection again', () => words(own));
    expect(seen).toEqual(['ours']);
    expect(await words(db)).toEqual([]);
  });

  it('cost a statement only where the connection served another before', async () => {
    const statements: unknown[] = [];
    const { query } = pg.Client.prototype;
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      statements.push(args[0]);
      return Reflect.apply(query, this, args);
    } as typeof query;
    try {
      const db = open();
      const settings = () =>
        statements.splice(0).filter((text) => String(text).includes('set_config')).length;
      await words(db);
      expect(settings()).toBe(0);
      await words(ofBusiness(db, ours));
      expect(settings()).toBe(1);
      await words(ofBusiness(db, ours));
      await ofBusiness(db, ours.toUpperCase()).transaction().execute(words);
      expect(settings()).toBe(0);
      await words(ofBusiness(db, theirs));
      expect(settings()).toBe(1);
    } finally {
      pg.Client.prototype.query = query;
    }
  });

  it.each(['*', '', 'x', `${randomUUID()}'`])('belong to no business that is called %j', (name) => {
    expect(() => ofBusiness(open(), name)).toThrow('a business is named by a UUID');
  });

  it('cannot be reached from the view of another business', () => {
    const own = ofBusiness(open(), ours);
    expect(() => ofEveryBusiness(own)).toThrow('can be narrowed');
    expect(() => ofBusiness(own, theirs)).toThrow('can be narrowed');
  });

  it('are out of reach once the database is closed, through whichever view it was used', async () => {
    const db = open();
    const own = ofBusiness(db, ours);
    await words(own);
    await db.destroy();
    await expect(words(own)).rejects.toThrow('after calling end on the pool');
    await own.destroy();
  });
});
