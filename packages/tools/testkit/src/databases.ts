import { createHash, randomBytes } from 'node:crypto';
import { acrossTenants, createLogger, type Database, openDatabase } from '@pinkas/service-kit';
import {
  kitMigrations,
  type Migrations,
  migrate,
  provisionDatabase,
  type Role,
  trailMigrations,
  withDatabase,
  withRole,
} from '@pinkas/service-kit/schema';
import { sql } from 'kysely';

/** A database of one test file, made like the real one: an owner that migrates, a login role that serves. */
export interface TestDatabase<Tables> {
  /** For the serving role. */
  readonly url: string;
  /** For the owner. */
  readonly ownerUrl: string;
  /** Opened with the serving role, with the rows of every business in sight. */
  readonly db: Database<Tables>;
  close(): Promise<void>;
}

/** What a database consists of: the tables of a service and, where it publishes or handles events, those of the kit. */
interface Schema {
  readonly migrations: Migrations;
  readonly messaging: boolean;
}

/** The test run's own PostgreSQL, as administrator. */
export function adminUrl(): string {
  const url = process.env.PINKAS_TEST_POSTGRES_URL;
  if (!url) {
    throw new Error(
      'No PostgreSQL for tests: run Jest with the configuration at the root of the repository.',
    );
  }
  return url;
}

/**
 * Creates a database with the schema of a service and a name of its own. It is a copy of a template that the first caller of
 * the test run makes and migrates; copies of one template share its two roles.
 */
export async function createTestDatabase<Tables>(
  migrations: Migrations,
  { messaging = true }: { messaging?: boolean } = {},
): Promise<TestDatabase<Tables>> {
  const schema = { migrations, messaging };
  const template = templateName(schema);
  const name = `t_${randomBytes(6).toString('hex')}`;
  const owner = { name: `${template}_owner`, password: 'test' };
  const login = { name: `${template}_login`, password: 'test' };
  await asAdmin(async (admin) => {
    await ensureTemplate(admin, template, { owner, login }, schema);
    await sql`create database ${sql.id(name)} template ${sql.id(template)} owner ${sql.id(owner.name)}`.execute(
      admin,
    );
    // Privileges on the database itself are not copied.
    await sql`revoke connect, temporary on database ${sql.id(name)} from public`.execute(admin);
    await sql`grant connect on database ${sql.id(name)} to ${sql.id(login.name)}`.execute(admin);
  });
  const base = withDatabase(adminUrl(), name);
  const url = withRole(base, login);
  const db = acrossTenants(
    openDatabase<Tables>({
      url,
      poolSize: 4,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    }),
  );
  return { url, ownerUrl: withRole(base, owner), db, close: () => db.destroy() };
}

/** Templates are equal where the names and statements of the migrations are. */
function templateName({ migrations, messaging }: Schema): string {
  const text = JSON.stringify(
    [messaging ? kitMigrations : trailMigrations, migrations].map((set) => Object.entries(set)),
  );
  return `template_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/** Makes the template unless it exists. A lock makes the other worker processes wait. */
async function ensureTemplate(
  admin: Database<unknown>,
  template: string,
  roles: { owner: Role; login: Role },
  { migrations, messaging }: Schema,
): Promise<void> {
  const exists = async () => {
    const { rows } = await sql`select 1 from pg_database where datname = ${template}`.execute(admin);
    return rows.length > 0;
  };
  if (await exists()) {
    return;
  }
  // The pool has one connection, so that the lock and its release reach the same session.
  await sql`select pg_advisory_lock(hashtext(${template}))`.execute(admin);
  try {
    if (await exists()) {
      return;
    }
    const draft = `${template}_draft`;
    await provisionDatabase(adminUrl(), { database: draft, ...roles });
    await migrate(withRole(withDatabase(adminUrl(), draft), roles.owner), migrations, { messaging });
    await sql`alter database ${sql.id(draft)} rename to ${sql.id(template)}`.execute(admin);
  } finally {
    await sql`select pg_advisory_unlock(hashtext(${template}))`.execute(admin);
  }
}

async function asAdmin(work: (admin: Database<unknown>) => Promise<void>): Promise<void> {
  const logger = createLogger('test', 'silent');
  const admin = acrossTenants(
    openDatabase<unknown>({ url: adminUrl(), poolSize: 1, applicationName: 'test', logger }),
  );
  try {
    await work(admin);
  } finally {
    await admin.destroy();
  }
}
