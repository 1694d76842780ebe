import { Kysely, PostgresDialect, type PostgresPool, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { Logger } from '../logger.js';
import { businessSetting } from './row-security.js';

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
  // Nor must one that is lost in use: whoever uses it hears of it by the statement that fails.
  pool.on('connect', (client) => client.on('error', () => {}));
  const sight = new Sight(pool);
  const db = sight.of<Tables>(nothing);
  sights.set(db, sight);
  return db;
}

/** What a connection may see of the tables that belong to businesses: one business, all of them, or nothing. */
const everyBusiness = '*';
const nothing = '';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A database over a pool that it shares. Kysely alone would leave the pool open where no statement went through this view. */
class View<Tables> extends Kysely<Tables> {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    super({ dialect: new PostgresDialect({ pool }) });
    this.#pool = pool;
  }

  override destroy(): Promise<void> {
    return this.#pool.end();
  }
}

/** Hands the connections of a pool out with a view of the data, and tells the server where the view changes. */
class Sight {
  /** What each connection sees now; a new one sees nothing. */
  readonly #seenBy = new WeakMap<pg.PoolClient, string>();

  constructor(private readonly pool: pg.Pool) {}

  of<Tables>(seen: string): Database<Tables> {
    return new View<Tables>({ connect: () => this.#connect(seen), end: () => this.#end() });
  }

  async #end(): Promise<void> {
    if (!this.pool.ending) await this.pool.end();
  }

  async #connect(seen: string): Promise<pg.PoolClient> {
    let client = await this.pool.connect();
    // A transaction that its user could not end would take the change of view back when it ends.
    while (client.getTransactionStatus() !== 'I') {
      client.release(true);
      client = await this.pool.connect();
    }
    if ((this.#seenBy.get(client) ?? nothing) === seen) return client;
    try {
      await client.query(`select set_config('${businessSetting}', $1, false)`, [seen]);
      this.#seenBy.set(client, seen);
      return client;
    } catch (error) {
      // Of whose rows it sees now nothing is known.
      client.release(true);
      throw error;
    }
  }
}

const sights = new WeakMap<object, Sight>();

/** A narrowed database is no way to another view, so that whoever is given one cannot widen it. */
function viewOf<Tables>(db: Database<Tables>, seen: string): Database<Tables> {
  const sight = sights.get(db);
  if (!sight) throw new Error('only a database that openDatabase has opened can be narrowed');
  return sight.of(seen);
}

/**
 * The database as one business sees it: row-level security hides the rows of every other (see `hideFromOthers`). The
 * database that `openDatabase` returns sees no business at all. Both are one pool: to destroy one is to close the other.
 * @throws when that is no id of a business, or `db` is narrowed already.
 */
export function ofBusiness<Tables>(db: Database<Tables>, businessId: string): Database<Tables> {
  if (!uuid.test(businessId)) throw new Error('a business is named by a UUID');
  return viewOf(db, businessId.toLowerCase());
}

/** The database with the rows of every business, for work that belongs to none: finding what is due, looking up a key. */
export function ofEveryBusiness<Tables>(db: Database<Tables>): Database<Tables> {
  return viewOf(db, everyBusiness);
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
const passing = new Set(['40P01', '55P03', '57014', '25P03', '57P01', '57P02', '57P03', '53300']);

/**
 * Whether a statement failed for a reason that passes: a lock or a connection that was waited for too long or in a circle, or a server
 * that went away. It is no fault of the request, which may be sent again.
 */
export function databaseIsBusyOrAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return passing.has(error.code ?? '') || (error.code ?? '').startsWith('08');
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return /^E(CONN|PIPE|HOST|NET|TIMEDOUT)/.test(code) || /timeout|Connection terminated/i.test(message);
}
