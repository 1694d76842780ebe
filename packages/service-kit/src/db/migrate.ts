import { Kysely, type Migration, Migrator, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { migrationFields, readEnvironment } from '../config.js';
import { createLogger } from '../logger.js';
import { businessSetting } from './row-security.js';

/** The migrations of one service by name; `0001-documents`, `0002-…`: the names are their order. */
export type Migrations = Readonly<Record<string, Migration>>;

/** A migration written as SQL. Forward-only: there is no way down. */
export function sqlMigration(statements: string): Migration {
  return { up: async (db) => void (await sql.raw(statements).execute(db)) };
}

/**
 * Applies what is missing, in order, all in one transaction, while a lock keeps every other migration of this database
 * waiting.
 * @returns the names that were applied.
 * @throws when one fails; then none is applied.
 */
export async function migrate(databaseUrl: string, migrations: Migrations): Promise<string[]> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: 10_000,
    // A migration may have to change the rows of every business.
    options: `-c ${businessSetting}=*`,
  });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error) {
      const failed = results.find((result) => result.status === 'Error')?.migrationName;
      throw new Error(`Migration ${failed ?? ''} failed`, { cause: error });
    }
    return results.map((result) => result.migrationName);
  } finally {
    await db.destroy();
  }
}

/** The whole of a service's `migrate.ts`: reads the environment, migrates, logs, and sets the exit code. */
export async function runMigrations(service: string, migrations: Migrations): Promise<void> {
  const logger = createLogger(service, 'info');
  try {
    const { databaseUrl } = readEnvironment(migrationFields);
    logger.info({ applied: await migrate(databaseUrl, migrations) }, 'the database is up to date');
  } catch (error) {
    logger.fatal({ err: error }, 'the migration failed; the database is as it was');
    process.exitCode = 1;
  }
}
