import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { Logger } from '../logger.js';

export type Database<Tables> = Kysely<Tables>;
export type { Transaction };

const int8 = 20;
const date = 1082;

/**
 * Dates stay text (YYYY-MM-DD: a day has no time zone), whole numbers become JavaScript numbers (none of ours pass 2^53),
 * and numeric stays text, since a double would lose agorot.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === int8) return Number;
    if (oid === date) return (value: string) => value;
    return pg.types.getTypeParser(oid, format as 'text');
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * Opens a pool of connections. Statement, lock and idle-in-transaction timeouts stand on the login role, so that they
 * hold for whoever uses it; here the waits for a connection and for a silent server are bounded.
 */
export function openDatabase<Tables>(options: {
  url: string;
  poolSize: number;
  applicationName: string;
  logger: Logger;
}): Database<Tables> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // A server that is gone without a word ends no statement: then the client does.
    query_timeout: 20_000,
    types,
  });
  // An idle connection that the server closes must not end the process.
  pool.on('error', (error) => options.logger.warn({ err: error }, 'an idle database connection was lost'));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Whether the database answers within a second; for readiness. */
export async function databaseAnswers(db: Kysely<unknown>): Promise<boolean> {
  const timeout = new Promise<boolean>((resolve) => setTimeout(resolve, 1_000, false).unref());
  const answer = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
  return Promise.race([answer, timeout]);
}

/** The name of the constraint that a statement broke, if it is an error of that kind. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined;
}

/** What the server says of a wait or a connection that it ended. */
const passing = new Set(['55P03', '57014', '25P03', '57P01', '57P02', '57P03', '53300']);

/**
 * Whether a statement failed for a reason that passes: a lock or a connection that was waited for too long, or a server
 * that went away. It is no fault of the request, which may be sent again.
 */
export function databaseIsBusyOrAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return passing.has(error.code ?? '') || (error.code ?? '').startsWith('08');
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return /^E(CONN|PIPE|HOST|NET|TIMEDOUT)/.test(code) || /timeout|Connection terminated/i.test(message);
}
