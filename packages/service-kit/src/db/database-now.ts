import { type Kysely, sql } from 'kysely';
import type { Clock } from '../clock.js';

/**
 * The time on the database's clock, which all replicas share: what is claimed, and for how long, must not depend on the machine.
 * @param clock a test's clock shifts the result by its distance from the machine's.
 */
export async function databaseNow<Tables>(db: Kysely<Tables>, clock: Clock): Promise<Date> {
  const shiftMs = clock.now().getTime() - Date.now();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (!row) {
    throw new Error('the clock query returned no row');
  }
  return new Date(row.now.getTime() + shiftMs);
}
