import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPostgresFolder } from '@pinkas/local-servers';
import { createLogger, type Database, ofEveryBusiness, openDatabase } from '@pinkas/service-kit';
import {
  type Migrations,
  migrate,
  provisionDatabase,
  withDatabase,
  withRole,
} from '@pinkas/service-kit/schema';

/** A database of one test file, made like the real one: an owner that migrates, a login role that serves. */
export interface TestDatabase<Tables> {
  /** For the serving role. */
  readonly url: string;
  /** For the owner. */
  readonly ownerUrl: string;
  /** Opened with the serving role, with the rows of every business in sight. */
  readonly db: Database<Tables>;
  close(): Promise<void>;
}

/** The test run's own PostgreSQL, as administrator. */
export function adminUrl(): string {
  const url = process.env.PINKAS_TEST_POSTGRES_URL;
  if (!url)
    throw new Error(
      'No PostgreSQL for tests: run Jest with the configuration at the root of the repository.',
    );
  return url;
}

/** Makes and migrates a database with a name of its own. */
export async function createTestDatabase<Tables>(migrations: Migrations): Promise<TestDatabase<Tables>> {
  const name = `t_${randomBytes(6).toString('hex')}`;
  const owner = { name: `${name}_owner`, password: 'test' };
  const login = { name, password: 'test' };
  await provisionDatabase(adminUrl(), { database: name, owner, login });
  const base = withDatabase(adminUrl(), name);
  const ownerUrl = withRole(base, owner);
  await migrate(ownerUrl, migrations);
  const url = withRole(base, login);
  const db = ofEveryBusiness(
    openDatabase<Tables>({
      url,
      poolSize: 4,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    }),
  );
  return { url, ownerUrl, db, close: () => db.destroy() };
}

/**
 * Migrates an empty database and reads the `schema.sql` that a service keeps beside its migrations, so that a test can
 * compare the two. With `UPDATE_SCHEMA=true` in the environment the file is written first: the way to renew it.
 */
export async function compareSchema(
  migrations: Migrations,
  file: URL,
): Promise<{ migrated: string; recorded: string }> {
  const database = await createTestDatabase(migrations);
  try {
    const migrated = await dumpSchema(database.ownerUrl);
    if (process.env.UPDATE_SCHEMA === 'true') await writeFile(file, migrated);
    return { migrated, recorded: await readFile(file, 'utf8') };
  } finally {
    await database.close();
  }
}

/**
 * The schema of a database as text, without what depends on the server's version or on the names of roles: what a
 * service keeps as `schema.sql`.
 */
async function dumpSchema(ownerUrl: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    join(findPostgresFolder()?.path ?? '', 'pg_dump'),
    ['--schema-only', '--no-owner', '--no-privileges', '--dbname', ownerUrl],
    { maxBuffer: 16 * 1024 * 1024, timeout: 30_000 },
  );
  const kept = stdout
    .split('\n')
    .filter((line) => !/^(--|SET |SELECT pg_catalog|\\(un)?restrict)/.test(line))
    .join('\n');
  return `${kept.replaceAll(/\n{3,}/g, '\n\n').trim()}\n`;
}
