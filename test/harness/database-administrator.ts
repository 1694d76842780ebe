import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceName } from '@pinkas/contracts';
import { createLogger, type Database, openDatabase } from '@pinkas/service-kit';
import { type RawBuilder, sql } from 'kysely';
import type { RunningStack } from './running-stack.js';

/**
 * Somebody with the database administrator's password: no trigger, no constraint and no row-level security is in the way of
 * changing what no one may change. Every change can be taken back.
 */
export class DatabaseAdministrator {
  readonly #databases = new Map<ServiceName, Database<unknown>>();
  /** How many tables were changed; several may be at a time. */
  #tampered = 0;
  /** Statements that restore the constraints that were dropped. */
  readonly #restore: { service: ServiceName; statement: RawBuilder<unknown> }[] = [];

  private constructor(
    private readonly stack: RunningStack,
    private readonly password: string,
  ) {}

  static async connect(stack: RunningStack): Promise<DatabaseAdministrator> {
    const secrets = JSON.parse(await readFile(join(stack.home, 'secrets.json'), 'utf8')) as {
      postgresPassword: string;
    };
    return new DatabaseAdministrator(stack, secrets.postgresPassword);
  }

  /** Carries out one statement in the database of a service. */
  async change(service: ServiceName, statement: RawBuilder<unknown>): Promise<void> {
    await statement.execute(await this.#database(service));
  }

  /** Reads rows from the database of a service. */
  async read<Row>(service: ServiceName, query: RawBuilder<Row>): Promise<Row[]> {
    return (await query.execute(await this.#database(service))).rows;
  }

  /** Drops a constraint until `close`, so that the table can hold what it refuses. */
  async dropConstraint(service: ServiceName, table: string, constraint: string): Promise<void> {
    const [row] = await this.read<{ definition: string }>(
      service,
      sql`select pg_get_constraintdef(oid) as definition from pg_constraint where conname = ${constraint}`,
    );
    if (!row) {
      throw new Error(`there is no constraint ${constraint}`);
    }
    this.#restore.push({
      service,
      statement: sql`alter table ${sql.table(table)} add constraint ${sql.ref(constraint)} ${sql.raw(row.definition)}`,
    });
    await this.change(service, sql`alter table ${sql.table(table)} drop constraint ${sql.ref(constraint)}`);
  }

  /** Makes changes to a table, lets `look` see it, and puts the table back to what it was. */
  async withTamperedTable(
    service: ServiceName,
    table: string,
    statement: RawBuilder<unknown>,
    look: () => Promise<void>,
  ): Promise<void> {
    this.#tampered += 1;
    const kept = sql.table(`kept_${table}_${this.#tampered}`);
    await this.change(service, sql`create table ${kept} as table ${sql.table(table)}`);
    try {
      await this.change(service, statement);
      await look();
    } finally {
      await this.change(service, sql`delete from ${sql.table(table)}`);
      await this.change(service, sql`insert into ${sql.table(table)} table ${kept}`);
      await this.change(service, sql`drop table ${kept}`);
    }
  }

  /** Restores the constraints and disconnects. */
  async close(): Promise<void> {
    for (const { service, statement } of this.#restore.splice(0)) {
      await this.change(service, statement);
    }
    for (const db of this.#databases.values()) {
      await db.destroy();
    }
  }

  async #database(service: ServiceName): Promise<Database<unknown>> {
    const known = this.#databases.get(service);
    if (known) {
      return known;
    }
    const url = new URL((await this.stack.file()).postgres[service]);
    url.username = 'postgres';
    url.password = this.password;
    // No trigger and no foreign key, on whichever connection the pool opens.
    url.searchParams.set('options', '-c session_replication_role=replica');
    const logger = createLogger('test', 'silent');
    const db = openDatabase({ url: url.href, poolSize: 1, applicationName: 'test', logger });
    this.#databases.set(service, db);
    return db;
  }
}
