import pg from 'pg';
import { provisioningFields, readEnvironment } from '../config.js';
import { createLogger } from '../logger.js';

/** A role of the database server. */
export interface Role {
  name: string;
  password: string;
}

/** What `provisionDatabase` makes for one service. */
export interface DatabasePlan {
  database: string;
  /** Owns the tables and runs the migrations; never serves. */
  owner: Role;
  /** Serves; may read and write rows, but not change the schema. */
  login: Role;
}

/**
 * The waits that no statement of a serving process may exceed. Issuing holds its series row while the PDF is rendered, so
 * the lock and idle limits lie above the rendering deadline (8 s) and below the request's (30 s).
 */
const loginSettings = {
  statement_timeout: '15s',
  lock_timeout: '12s',
  idle_in_transaction_session_timeout: '20s',
} as const;

/**
 * Makes one service's database with its two roles, or brings them up to date; may be repeated at will.
 * Nobody but these two roles (and administrators) can connect to the database.
 * @param adminUrl a role that may create databases and roles.
 */
export async function provisionDatabase(adminUrl: string, plan: DatabasePlan): Promise<void> {
  const { database, owner, login } = plan;
  await withClient(adminUrl, async (admin) => {
    // Two replicas that start together must not both make what they both find missing.
    await admin.query(`select pg_advisory_lock(hashtext('pinkas provisioning'))`);
    for (const role of [owner, login]) {
      const name = admin.escapeIdentifier(role.name);
      const password = admin.escapeLiteral(role.password);
      const found = await admin.query('select 1 from pg_roles where rolname = $1', [role.name]);
      if (found.rowCount === 0) await admin.query(`create role ${name}`);
      await admin.query(`alter role ${name} login password ${password}`);
    }
    for (const [setting, value] of Object.entries(loginSettings)) {
      await admin.query(`alter role ${admin.escapeIdentifier(login.name)} set ${setting} = '${value}'`);
    }
    const exists = await admin.query('select 1 from pg_database where datname = $1', [database]);
    if (exists.rowCount === 0) {
      // An administrator who is no superuser may hand a database over only to a role that it is a member of.
      const [{ rolsuper } = { rolsuper: false }] = (
        await admin.query<{ rolsuper: boolean }>('select rolsuper from pg_roles where rolname = current_user')
      ).rows;
      if (!rolsuper) await admin.query(`grant ${admin.escapeIdentifier(owner.name)} to current_user`);
      await admin.query(
        `create database ${admin.escapeIdentifier(database)} owner ${admin.escapeIdentifier(owner.name)} template template0 encoding 'UTF8'`,
      );
    }
    const name = admin.escapeIdentifier(database);
    await admin.query(`revoke connect, temporary on database ${name} from public`);
    await admin.query(`grant connect on database ${name} to ${admin.escapeIdentifier(login.name)}`);
  });
  await withClient(withDatabase(adminUrl, database), async (admin) => {
    const ownerName = admin.escapeIdentifier(owner.name);
    const loginName = admin.escapeIdentifier(login.name);
    await admin.query(`alter schema public owner to ${ownerName}`);
    await admin.query('revoke all on schema public from public');
    await admin.query(`grant usage on schema public to ${loginName}`);
    await admin.query(
      `alter default privileges for role ${ownerName} in schema public grant select, insert, update, delete on tables to ${loginName}`,
    );
    await admin.query(
      `alter default privileges for role ${ownerName} in schema public grant usage on sequences to ${loginName}`,
    );
  });
}

/**
 * The plan that two addresses of one database imply.
 * @throws when they speak of two databases, or name no role or password.
 */
export function planOf(loginUrl: string, ownerUrl: string): DatabasePlan {
  const [login, owner] = [new URL(loginUrl), new URL(ownerUrl)];
  const role = (url: URL): Role => ({
    name: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  });
  const plan = {
    database: decodeURIComponent(login.pathname.slice(1)),
    login: role(login),
    owner: role(owner),
  };
  if (login.pathname !== owner.pathname || plan.database === '')
    throw new Error('DATABASE_URL and MIGRATION_DATABASE_URL must name one database');
  if (
    [plan.login, plan.owner].some(({ name, password }) => !name || !password) ||
    plan.login.name === plan.owner.name
  )
    throw new Error('DATABASE_URL and MIGRATION_DATABASE_URL must name a role each, with a password');
  return plan;
}

/** The whole of a service's `provision.ts`: reads the environment, makes the database and its roles, and sets the exit code. */
export async function runProvisioning(service: string): Promise<void> {
  const logger = createLogger(service, 'info');
  try {
    const { adminUrl, loginUrl, ownerUrl } = readEnvironment(provisioningFields);
    const plan = planOf(loginUrl, ownerUrl);
    await provisionDatabase(withDatabase(adminUrl, 'postgres'), plan);
    logger.info({ database: plan.database }, 'the database and its roles are there');
  } catch (error) {
    logger.fatal({ err: error }, 'the database could not be made');
    process.exitCode = 1;
  }
}

/** The same server, another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.toString();
}

/** The same server and database, another role. */
export function withRole(url: string, role: Role): string {
  const changed = new URL(url);
  changed.username = encodeURIComponent(role.name);
  changed.password = encodeURIComponent(role.password);
  return changed.toString();
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    query_timeout: 30_000,
  });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
