import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../clock.js';
import { withTimeout } from '../concurrency/with-timeout.js';

/**
 * In a statement: the time on the database's clock, which all replicas share, in milliseconds. What is claimed, and for how
 * long, must not depend on the machine.
 * @param clock a test's clock shifts the result by its distance from the machine's.
 * @param inMs so many milliseconds from now.
 */
export function databaseClock(clock: Clock, inMs = 0): RawBuilder<Date> {
  const shiftS = (clock.now().getTime() - Date.now() + inMs) / 1_000;
  return sql<Date>`date_trunc('milliseconds', clock_timestamp() + make_interval(secs => ${shiftS}))`;
}

/** Reads the time on the database's clock. */
export async function databaseNow<Tables>(db: Kysely<Tables>, clock: Clock): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select ${databaseClock(clock)} as now`.execute(db);
  const [row] = rows;
  if (!row) {
    throw new Error('the clock query returned no row');
  }
  return row.now;
}

const answerTimeoutMs = 1_000;

/** How far a clock is ahead of another that was read between two instants of the first, at least; negative where it is behind. */
export function aheadMs(readMs: number, beforeMs: number, afterMs: number): number {
  return readMs - Math.min(Math.max(readMs, beforeMs), afterMs);
}

/** How far the clock of the database is ahead of this process's; null where the database does not answer within a second. */
export function databaseAheadMs<Tables>(db: Kysely<Tables>, clock: Clock): Promise<number | null> {
  const measure = async () => {
    const beforeMs = clock.now().getTime();
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
    const afterMs = clock.now().getTime();
    return rows[0] ? aheadMs(rows[0].now.getTime(), beforeMs, afterMs) : null;
  };
  return withTimeout(
    measure().catch(() => null),
    answerTimeoutMs,
    () => null,
  );
}
