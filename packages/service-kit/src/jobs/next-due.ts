import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../clock.js';
import { databaseClock } from '../db/database-now.js';
import type { NextDue } from './job-worker.js';

/**
 * Reads when the next row of a table is due, in one statement that is cheap enough for a table that is mostly idle.
 * @param clock a test's clock shifts the time by its distance from the machine's.
 * @param dueAt the earliest instant at which a row is due that nobody has claimed by then, null for none, by an expression of the time. Its
 * constants are part of its text: a prepared statement uses a partial index only then.
 */
export async function nextDue<Tables>(
  db: Kysely<Tables>,
  clock: Clock,
  dueAt: (now: RawBuilder<Date>) => RawBuilder<Date | null>,
): Promise<NextDue> {
  const { rows } = await sql<{ now: Date; due_at: Date | null }>`
    select clock.now, ${dueAt(sql.ref('clock.now'))} as due_at
    from (select ${databaseClock(clock)} as now) as clock
  `.execute(db);
  const [row] = rows;
  if (!row) {
    throw new Error('the clock query returned no row');
  }
  const inMs = row.due_at ? Math.max(0, row.due_at.getTime() - row.now.getTime()) : Number.POSITIVE_INFINITY;
  return { now: row.now, inMs };
}
