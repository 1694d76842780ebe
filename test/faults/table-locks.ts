import type { StackFile } from '@pinkas/local-stack';
import type { Database } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { DatabaseAdministrator } from '../harness/database-administrator.js';
import type { RunningStack } from '../harness/running-stack.js';

/** A lock that a test holds, so that a service waits at a known point. */
export interface HeldLock {
  /** Waits until the service is at the lock. */
  waitUntilBlocked(): Promise<void>;
  /** Lets go. May be called again. */
  release(): Promise<void>;
}

/**
 * Holds tables of a service, so that it waits where it next reads or writes one of them. The server ends a hold by itself
 * after 20 seconds (`idle_in_transaction_session_timeout`).
 */
export async function lockTables(
  stack: RunningStack,
  service: keyof StackFile['postgres'],
  tables: readonly string[],
): Promise<HeldLock> {
  return hold(stack, service, async (db) => {
    await sql`lock table ${sql.join(tables.map((table) => sql.table(table)))} in access exclusive mode`.execute(
      db,
    );
  });
}

/** Holds a table of a service, so that it waits where it next writes to it; it can be read. */
export async function lockWrites(
  stack: RunningStack,
  service: keyof StackFile['postgres'],
  table: string,
): Promise<HeldLock> {
  return hold(stack, service, async (db) => {
    await sql`lock table ${sql.table(table)} in share mode`.execute(db);
  });
}

/** Holds the rows of a document in one table: they can be read, but not be changed. */
export async function lockRows(
  stack: RunningStack,
  service: keyof StackFile['postgres'],
  table: string,
  documentId: string,
): Promise<HeldLock> {
  return hold(stack, service, async (db) => {
    await sql`select 1 from ${sql.table(table)} where document_id = ${documentId} for update`.execute(db);
  });
}

/**
 * Holds what inserts into a table of a service, at its commit: the service has sent the commit, and the server completes it after
 * the release, whether the service lives or not.
 */
export async function lockAtCommit(
  stack: RunningStack,
  service: keyof StackFile['postgres'],
  table: string,
): Promise<HeldLock> {
  const administrator = await DatabaseAdministrator.connect(stack);
  await administrator.change(
    service,
    sql`create function wait_at_commit() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1); return null; end $$`,
  );
  await administrator.change(
    service,
    sql`create constraint trigger wait_at_commit after insert on ${sql.table(table)} deferrable initially deferred
      for each row execute function wait_at_commit()`,
  );
  const lock = await hold(stack, service, async (db) => {
    await sql`select pg_advisory_xact_lock(1)`.execute(db);
  });
  return {
    ...lock,
    release: async () => {
      await lock.release();
      await administrator.change(service, sql`drop function wait_at_commit cascade`);
      await administrator.close();
    },
  };
}

async function hold(
  stack: RunningStack,
  service: keyof StackFile['postgres'],
  take: (db: Database<unknown>) => Promise<void>,
): Promise<HeldLock> {
  const db = stack.databaseAt<unknown>((await stack.file()).postgres[service]);
  let letGo = () => {};
  const wanted = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let ended: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    ended = db
      .transaction()
      .execute(async (trx) => {
        await take(trx);
        resolve();
        await wanted;
      })
      .catch(reject);
  });
  let released: Promise<void> | undefined;
  return {
    waitUntilBlocked: async () => {
      await eventually(`${service} waits for the lock`, async () => {
        const { rows } = await sql<{ waiting: number }>`
          select count(*)::integer as waiting from pg_stat_activity
          where wait_event_type = 'Lock' and application_name = ${`pinkas-${service}`}`.execute(db);
        return (rows[0]?.waiting ?? 0) > 0;
      });
    },
    release: () => {
      released ??= (async () => {
        letGo();
        await ended;
        await db.destroy();
      })();
      return released;
    },
  };
}
