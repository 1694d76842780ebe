import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { adminUrl, createTestDatabase } from '@pinkas/testkit';
import pg from 'pg';
import { migrate, provisionDatabase, sqlMigration, withDatabase, withRole } from '../src/schema.js';

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
