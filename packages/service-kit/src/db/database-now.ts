import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../clock.js';

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
