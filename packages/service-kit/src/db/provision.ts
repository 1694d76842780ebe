import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import pg from 'pg';
import { type Environment, processEnvironment, provisioningFields, readConfig } from '../process/config.js';
import { createLogger } from '../process/logger.js';
import { atSignal } from '../process/run-process.js';
import { whenReachable } from '../process/wait-for-server.js';
import { scramVerifier } from './scram-verifier.js';

/** A role of the database server. */
export interface Role {
  name: string;
  password: string;
}

/** The database of one service, with its roles. */
interface DatabaseSpec {
  database: string;
  /** Owns the tables and runs the migrations. */
  owner: Role;
  /** The service's role: reads and writes rows, cannot change the schema. */
  login: Role;
}

/** The limits of a service's statements. Issuing holds its series row while the PDF is rendered; `time-limits.ts` orders the two. */
const loginSettings = {
  statement_timeout: `${timeLimitsMs.statement}ms`,
  lock_timeout: `${timeLimitsMs.lock}ms`,
  idle_in_transaction_session_timeout: `${timeLimitsMs.idleTransaction}ms`,
} as const;

/**
 * Creates one service's database with its two roles, or updates them; idempotent. Only these roles and administrators can connect.
 * @param adminUrl a role that may create databases and roles.
 */
export async function provisionDatabase(adminUrl: string, spec: DatabaseSpec): Promise<void> {
  const { database, owner, login } = spec;
  await withClient(adminUrl, async (admin) => {
    // Two replicas that start together must not both create what they both find missing, nor grant at the same time.
    await admin.query(`select pg_advisory_lock(hashtext('pinkas provisioning'))`);
    for (const role of [owner, login]) {
      const name = admin.escapeIdentifier(role.name);
      const password = admin.escapeLiteral(scramVerifier(role.password));
      const found = await admin.query('select 1 from pg_roles where rolname = $1', [role.name]);
      if (found.rowCount === 0) {
        await admin.query(`create role ${name}`);
      }
      await admin.query(`alter role ${name} login password ${password}`);
    }
    for (const [setting, value] of Object.entries(loginSettings)) {
      await admin.query(`alter role ${admin.escapeIdentifier(login.name)} set ${setting} = '${value}'`);
    }
    const exists = await admin.query('select 1 from pg_database where datname = $1', [database]);
    if (exists.rowCount === 0) {
      // An administrator without superuser rights must be a member of the role that will own the database.
      const [{ rolsuper } = { rolsuper: false }] = (
        await admin.query<{ rolsuper: boolean }>('select rolsuper from pg_roles where rolname = current_user')
      ).rows;
      if (!rolsuper) {
        await admin.query(`grant ${admin.escapeIdentifier(owner.name)} to current_user`);
      }
      await admin.query(
        `create database ${admin.escapeIdentifier(database)} owner ${admin.escapeIdentifier(owner.name)} template template0 encoding 'UTF8'`,
      );
    }
    const name = admin.escapeIdentifier(database);
    await admin.query(`revoke connect, temporary on database ${name} from public`);
    await admin.query(`grant connect on database ${name} to ${admin.escapeIdentifier(login.name)}`);
    await grantSchema(withDatabase(adminUrl, database), spec);
  });
}

/** @param databaseUrl of the new database, as an administrator. */
async function grantSchema(databaseUrl: string, { owner, login }: DatabaseSpec): Promise<void> {
  await withClient(databaseUrl, async (admin) => {
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
 * The specification that the two addresses of one database imply.
 * @throws when they name two databases, or lack a role or a password.
 */
function databaseSpecOf(loginUrl: string, ownerUrl: string): DatabaseSpec {
  const [login, owner] = [new URL(loginUrl), new URL(ownerUrl)];
  const role = (url: URL): Role => ({
    name: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  });
  const spec = {
    database: decodeURIComponent(login.pathname.slice(1)),
    login: role(login),
    owner: role(owner),
  };
  if (login.pathname !== owner.pathname || spec.database === '') {
    throw new Error('DATABASE_URL and MIGRATION_DATABASE_URL must name one database');
  }
  if (
    [spec.login, spec.owner].some(({ name, password }) => !name || !password) ||
    spec.login.name === spec.owner.name
  ) {
    throw new Error('DATABASE_URL and MIGRATION_DATABASE_URL must name a role each, with a password');
  }
  return spec;
}

/** All of a service's `provision.ts`: reads the environment, creates the database and its roles, and sets the exit code. A signal ends it. */
export async function runProvisioning(service: string, env: Environment = processEnvironment): Promise<void> {
  const logger = createLogger(service, 'info');
  atSignal(() => process.exit(1));
  try {
    const { adminUrl, loginUrl, ownerUrl } = readConfig(provisioningFields, env);
    const spec = databaseSpecOf(loginUrl, ownerUrl);
    const url = withTlsOf(loginUrl, withDatabase(adminUrl, 'postgres'));
    await whenReachable(logger, () => provisionDatabase(url, spec));
    logger.info({ database: spec.database }, 'database provisioned');
  } catch (error) {
    logger.fatal({ err: error }, 'provisioning failed');
    process.exitCode = 1;
  }
}

/** A URL with another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.toString();
}

/**
 * An address without `sslmode` with that of another address, and its `sslrootcert`: CloudNativePG writes none into the address of
 * its superuser.
 */
export function withTlsOf(source: string, url: string): string {
  const changed = new URL(url);
  if (!changed.searchParams.has('sslmode')) {
    for (const [name, value] of new URL(source).searchParams) {
      if (name === 'sslmode' || name === 'sslrootcert') {
        changed.searchParams.set(name, value);
      }
    }
  }
  return changed.toString();
}

/** A URL with another role. */
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
