import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { withTimeout } from '../concurrency/with-timeout.js';
import type { Logger } from '../process/logger.js';
import { type Database, ScopableDatabase, ScopedClient, TenantPool } from './tenant-scope.js';

const int8 = 20;
const date = 1082;

/**
 * Dates stay text (YYYY-MM-DD: a day has no time zone), int8 becomes a number (no value passes 2^53), and numeric stays text, since
 * a double would lose agorot.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === int8) {
      return Number;
    }
    if (oid === date) {
      return (value: string) => value;
    }
    return pg.types.getTypeParser(oid, format as 'text');
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * Opens a pool of connections without a tenant scope. Statement, lock and idle-in-transaction timeouts are set on the login role;
 * here the waits for a connection and for a silent server are bounded.
 */
export function openDatabase<Tables>(options: {
  url: string;
  poolSize: number;
  applicationName: string;
  logger: Logger;
  /** Called for each statement. */
  onStatement?: () => void;
}): Database<Tables> {
  const { onStatement = () => {} } = options;
  const pool = new pg.Pool({
    Client: class extends ScopedClient {
      override readonly onStatement = onStatement;
    },
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    idleTimeoutMillis: 60_000,
    // A statement may follow another before its answer (`ScopedClient`).
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // A server that vanishes without closing the connection ends no statement: the client does.
    query_timeout: timeLimitsMs.query,
    types,
  });
  // An idle connection that the server closes must not end the process.
  pool.on('error', (error) => options.logger.warn({ err: error }, 'idle database connection lost'));
  // Nor must one that is lost in use: its statement fails.
  pool.on('connect', (client) => client.on('error', () => {}));
  return new ScopableDatabase<Tables>(new TenantPool(pool));
}

/** Whether the database answers within a second; for readiness. */
export async function pingDatabase<Tables>(db: Kysely<Tables>): Promise<boolean> {
  const answer = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
  return withTimeout(answer, 1_000, () => false);
}
