import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { Kysely, PostgresDialect, type PostgresPool, type Transaction } from 'kysely';
import pg from 'pg';
import { LookTimer } from '../concurrency/look-timer.js';
import { withTimeout } from '../concurrency/with-timeout.js';
import { preparedName } from './prepared-statements.js';
import { tenantSetting } from './tenant-isolation.js';

export type Database<Tables> = Kysely<Tables>;
export type { Transaction };

/** The values of the tenant setting that are no business's id. */
const allTenants = '*';
const noTenant = '';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A connection that knows its tenant scope; a new one has none. The scope is set on the server with the first statement. */
export class ScopedClient extends pg.Client {
  /** Of its user. */
  tenant = noTenant;
  /** On the server, outside of transactions; undefined: setting it has failed. */
  #sessionTenant: string | undefined = noTenant;
  #isInScopedTransaction = false;
  readonly onStatement: () => void = () => {};

  /** Whether it can be used again. The end of a transaction that its user could not end would revert the scope. */
  get isReusable(): boolean {
    return (
      !this.connection.stream.destroyed &&
      this.getTransactionStatus() === 'I' &&
      !this.#isInScopedTransaction &&
      this.#sessionTenant !== undefined
    );
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares two signatures; its pool uses that with a callback.
  override connect(...args: any[]): any {
    const expire = () => this.connection.stream.destroy(new Error('timeout expired'));
    const timer = new LookTimer(timeLimitsMs.databaseConnection, expire).unref();
    for (const end of ['readyForQuery', 'end']) {
      this.connection.once(end, () => timer.end());
    }
    return super.connect(...(args as []));
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares seven signatures; those that Kysely uses are scoped.
  override query(...args: any[]): any {
    const [text, values] = args;
    if (typeof text !== 'string' || args.length > 2) {
      throw new Error('a statement must be a text, with or without values');
    }
    if (this.#isInScopedTransaction) {
      this.#isInScopedTransaction = text !== 'commit' && text !== 'rollback';
      return this.#send(text, values);
    }
    if (this.#sessionTenant === this.tenant) {
      return this.#send(text, values);
    }
    if (text === 'begin') {
      // The scope of this transaction alone, in the same round trip: a tenant is a UUID or a constant.
      this.#isInScopedTransaction = true;
      return this.#send(`begin; set local ${tenantSetting} = '${this.tenant}'`);
    }
    return this.#sendInScope(text, values);
  }

  /**
   * Sends a statement behind the one that sets its scope, without waiting for that. Where that fails, the statement runs in the
   * scope before it, and its caller gets the error: the outcome of a statement of its own transaction is then unknown.
   */
  async #sendInScope(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const { stream } = this.connection;
    // Both in one packet.
    stream.cork();
    const sent = Promise.all([this.#setScope(), this.#send(text, values)]);
    stream.uncork();
    const [, result] = await sent;
    return result;
  }

  async #setScope(): Promise<void> {
    const { tenant } = this;
    this.#sessionTenant = undefined;
    await this.#send(`select set_config('${tenantSetting}', $1, false)`, [tenant]);
    this.#sessionTenant = tenant;
  }

  async #send(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    this.onStatement();
    const name = values.length === 0 ? undefined : preparedName(text);
    try {
      return await super.query(name === undefined ? { text, values } : { name, text, values });
    } catch (error) {
      if (!isAnswer(error)) {
        this.connection.stream.destroy();
      }
      throw error;
    }
  }
}

/** PostgreSQL refuses a prepared statement whose columns have another type since. */
const featureNotSupported = '0A000';

/**
 * Whether the server has answered, and the connection is as its user knows it. After a statement without an answer it may be in a
 * transaction, which would hold its locks, or wait for an answer that never comes: such a connection is closed at once.
 */
function isAnswer(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code !== featureNotSupported;
}

/** Hands out the connections of a pool in a tenant scope. */
export class TenantPool {
  /** @param pool of `ScopedClient`s. */
  constructor(private readonly pool: pg.Pool) {}

  async connect(tenant: string): Promise<pg.PoolClient> {
    let client = await this.#next();
    while (!client.isReusable) {
      client.release(true);
      client = await this.#next();
    }
    client.tenant = tenant;
    return client;
  }

  async end(): Promise<void> {
    if (!this.pool.ending) {
      await this.pool.end();
    }
  }

  /** The pool itself would count by the clock. @throws when there is none in time. */
  #next(): Promise<pg.PoolClient & ScopedClient> {
    const connecting = this.pool.connect() as Promise<pg.PoolClient & ScopedClient>;
    return withTimeout(connecting, timeLimitsMs.databaseConnection, () => {
      // One that comes later is for the next one that waits.
      connecting.then(
        (client) => client.release(),
        () => {},
      );
      throw new Error('timeout exceeded when trying to connect');
    });
  }
}

/** A database in one tenant scope, over a shared pool. */
class ScopedDatabase<Tables> extends Kysely<Tables> {
  readonly #pool: PostgresPool;

  constructor(pool: TenantPool, tenant: string) {
    const scoped: PostgresPool = {
      options: {},
      connect: () => pool.connect(tenant),
      end: () => pool.end(),
    };
    super({ dialect: new PostgresDialect({ pool: scoped }) });
    this.#pool = scoped;
  }

  /** Kysely alone would leave the pool open where no statement was executed in this scope. */
  override destroy(): Promise<void> {
    return this.#pool.end();
  }
}

/** A database without a scope, from which scoped ones are derived. A scoped one cannot be widened. */
export class ScopableDatabase<Tables> extends ScopedDatabase<Tables> {
  constructor(private readonly pool: TenantPool) {
    super(pool, noTenant);
  }

  scopedTo(tenant: string): Database<Tables> {
    return new ScopedDatabase<Tables>(this.pool, tenant);
  }
}

function scoped<Tables>(db: Database<Tables>, tenant: string): Database<Tables> {
  if (!(db instanceof ScopableDatabase)) {
    throw new Error('the database is scoped already, or not opened by openDatabase');
  }
  return db.scopedTo(tenant);
}

/**
 * The database in the scope of one business: row-level security hides the rows of every other (see `enableTenantIsolation`). The
 * database that `openDatabase` returns sees the rows of no business. All scopes share one pool: to destroy one is to close it.
 * @throws when the id is not a UUID, or `db` has a scope already.
 */
export function forTenant<Tables>(db: Database<Tables>, businessId: string): Database<Tables> {
  if (!uuid.test(businessId)) {
    throw new Error('the id of a business must be a UUID');
  }
  return scoped(db, businessId.toLowerCase());
}

/** The database with the rows of all businesses, for work that belongs to none: polling for due rows, looking up a key. */
export function acrossTenants<Tables>(db: Database<Tables>): Database<Tables> {
  return scoped(db, allTenants);
}
