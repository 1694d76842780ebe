import { Kysely, PostgresDialect } from 'kysely';
import { Migrator, type MigratorProps } from 'kysely/migration';
import pg from 'pg';
import { type Environment, migrationFields, processEnvironment, readConfig } from '../process/config.js';
import { createLogger } from '../process/logger.js';
import { atSignal } from '../process/run-process.js';
import { whenReachable } from '../process/wait-for-server.js';
import { kitMigrations, trailMigrations } from './kit-migrations.js';
import type { Migrations } from './sql-migration.js';
import { tenantSetting } from './tenant-isolation.js';

/** Whether the database gets the kit's tables of events; the database of a service without events does not. */
interface MigrationOptions {
  readonly messaging?: boolean;
}

/**
 * Applies the missing migrations of the kit, then those of the service, each set in order and in one transaction. A lock
 * serializes the migrations of one database.
 * @returns the names of the service's migrations that were applied.
 * @throws when one fails; then none of its set is applied.
 */
export async function migrate(
  databaseUrl: string,
  migrations: Migrations,
  { messaging = true }: MigrationOptions = {},
): Promise<string[]> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: 10_000,
    // A migration may have to change the rows of every business.
    options: `-c ${tenantSetting}=*`,
  });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    await applyMissing(db, messaging ? kitMigrations : trailMigrations, {
      migrationTableName: 'kit_migration',
      migrationLockTableName: 'kit_migration_lock',
    });
    return await applyMissing(db, migrations, {});
  } finally {
    await db.destroy();
  }
}

async function applyMissing(
  db: Kysely<unknown>,
  migrations: Migrations,
  ledger: Pick<MigratorProps, 'migrationTableName' | 'migrationLockTableName'>,
): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations }) },
    ...ledger,
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) {
    const failed = results.find((result) => result.status === 'Error')?.migrationName;
    throw new Error(`Migration ${failed ?? ''} failed`, { cause: error });
  }
  return results.map((result) => result.migrationName);
}

/** All of a service's `migrate.ts`: reads the environment, migrates, logs, and sets the exit code; a signal ends it. */
export async function runMigrations(
  service: string,
  migrations: Migrations,
  options: MigrationOptions = {},
  env: Environment = processEnvironment,
): Promise<void> {
  const logger = createLogger(service, 'info');
  atSignal(() => process.exit(1));
  try {
    const { databaseUrl } = readConfig(migrationFields, env);
    const applied = await whenReachable(logger, () => migrate(databaseUrl, migrations, options));
    logger.info({ applied }, 'database migrated');
  } catch (error) {
    logger.fatal({ err: error }, 'migration failed');
    process.exitCode = 1;
  }
}
