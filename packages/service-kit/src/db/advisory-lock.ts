import { type RawBuilder, sql, type Transaction } from 'kysely';
import { timelineNow } from './timeline.js';

/** The 64-bit key that PostgreSQL derives from the parts of a name; equal on every replica. */
function keyOf(parts: readonly string[]): RawBuilder<string> {
  return sql`hashtextextended(${parts.join(' ')}, 0)`;
}

/** Waits for the exclusive advisory lock of a name, and holds it until the transaction ends. */
export async function advisoryLock<Tables>(trx: Transaction<Tables>, ...name: string[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(${keyOf(name)})`.execute(trx);
}

/**
 * Takes the exclusive advisory locks of some names without waiting for another holder, and sets how long the later locks of the
 * transaction are waited for; one round trip. Each name has a second lock, which only the holder of the first takes and
 * `isAdvisoryLockFree` reads: it is waited for, as long as such a statement takes, so that no reader refuses the holder.
 * @returns for each name whether it is held now, until the transaction ends; the time on the database's clock; and its timeline.
 */
export async function tryAdvisoryLocks<Tables>(
  trx: Transaction<Tables>,
  laterLocksTimeoutMs: number,
  names: readonly (readonly string[])[],
): Promise<{ areLocked: boolean[]; databaseNow: Date; timeline: string }> {
  const joined = names.map((parts) => parts.join(' '));
  const { rows } = await sql<{ locked: Record<string, boolean>; now: Date; timeline: string }>`
    select set_config('lock_timeout', ${`${laterLocksTimeoutMs}ms`}, true), (
        select json_object_agg(name, case when pg_try_advisory_xact_lock(hashtextextended(name, 0))
          then pg_advisory_xact_lock(hashtextextended(name, 1)) is not null else false end)
        from unnest(${joined}::text[]) as named (name)
      ) as locked, clock_timestamp() as now, ${timelineNow} as timeline`.execute(trx);
  const [row] = rows;
  if (!row) {
    throw new Error('the advisory lock query returned no row');
  }
  return {
    areLocked: joined.map((name) => row.locked[name] === true),
    databaseNow: row.now,
    timeline: row.timeline,
  };
}

/**
 * In a statement: whether no other transaction holds the lock that `tryAdvisoryLocks` takes of a name. It shares the second lock of
 * the name for the time of the statement.
 */
export function isAdvisoryLockFree(...name: string[]): RawBuilder<boolean> {
  return sql`pg_try_advisory_xact_lock_shared(hashtextextended(${name.join(' ')}, 1))`;
}
