import { Kysely, PostgresDialect, type PostgresPool, type Transaction } from 'kysely';
import pg from 'pg';
import { tenantSetting } from './tenant-isolation.js';

export type Database<Tables> = Kysely<Tables>;
export type { Transaction };

/** The values of the tenant setting that are no business's id. */
const allTenants = '*';
const noTenant = '';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A connection that knows its tenant scope; a new one has none. */
export class ScopedClient extends pg.Client {
  tenant = noTenant;
}

/** Hands out the connections of a pool in a tenant scope, and sets the scope on the server where it changes. */
export class TenantPool {
  /** @param pool of `ScopedClient`s. */
  constructor(private readonly pool: pg.Pool) {}

  async connect(tenant: string): Promise<pg.PoolClient> {
    let client = await this.#next();
    // The end of a transaction that its user could not end would revert the scope.
    while (client.getTransactionStatus() !== 'I') {
      client.release(true);
      client = await this.#next();
    }
    if (client.tenant === tenant) {
      return client;
    }
    try {
      await client.query(`select set_config('${tenantSetting}', $1, false)`, [tenant]);
      client.tenant = tenant;
      return client;
    } catch (error) {
      // Its scope is unknown now.
      client.release(true);
      throw error;
    }
  }

  async end(): Promise<void> {
    if (!this.pool.ending) {
      await this.pool.end();
    }
  }

  async #next(): Promise<pg.PoolClient & ScopedClient> {
    return (await this.pool.connect()) as pg.PoolClient & ScopedClient;
  }
}

/** A database in one tenant scope, over a shared pool. */
class ScopedDatabase<Tables> extends Kysely<Tables> {
  readonly #pool: PostgresPool;

  constructor(pool: TenantPool, tenant: string) {
    const scoped: PostgresPool = { connect: () => pool.connect(tenant), end: () => pool.end() };
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
