import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Clock, systemClock } from '../clock.js';
import { withTimeout } from '../concurrency/with-timeout.js';

/** What a statement takes is less than half of it; a clock of a test is ahead by more. */
const testStepS = 30;

/**
 * In a statement: the time on the database's clock, which all replicas share, in milliseconds. What is claimed, and for how
 * long, must not depend on the machine.
 * @param clock a test's clock does not move, so that what is due at its instant is due in each statement; the database is as far
 * from it as from the clock of the machine.
 * @param inMs so many milliseconds from now.
 */
export function databaseClock(clock: Clock, inMs = 0): RawBuilder<Date> {
  if (clock === systemClock) {
    return sql<Date>`date_trunc('milliseconds', clock_timestamp() + make_interval(secs => ${inMs / 1_000}))`;
  }
  const then = new Date(clock.now().getTime() + inMs);
  const behindS = sql`extract(epoch from clock_timestamp() - ${new Date(Date.now())}::timestamptz)`;
  return sql<Date>`${then}::timestamptz + make_interval(secs => ${testStepS} * round(${behindS} / ${testStepS}))`;
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
