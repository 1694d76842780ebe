import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A migration and its statements, by which two sets of migrations are compared. */
export interface SqlMigration extends Migration {
  readonly statements: string;
}

/** The migrations of one service by name; `0001-documents`, `0002-…`: the names are their order. */
export type Migrations = Readonly<Record<string, SqlMigration>>;

/**
 * A migration written as SQL. Forward-only: there is no way down. It waits five seconds for a lock: every later statement on the
 * table waits behind it, so it fails, and is applied again, rather than hold up the service behind one long read.
 */
export function sqlMigration(statements: string): SqlMigration {
  return {
    statements,
    up: async (db) => {
      await sql`set local lock_timeout = '5s'`.execute(db);
      await sql.raw(statements).execute(db);
    },
  };
}
