import { type Kysely, sql } from 'kysely';

/** PostgreSQL's timeline: another one after a failover, or a restore to an instant. The first part of the name of a log file. */
export const timelineNow = sql<string>`left(pg_walfile_name(pg_current_wal_lsn()), 8)`;

/** Reads the timeline of a database. */
export async function timelineOf<Tables>(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ timeline: string }>`select ${timelineNow} as timeline`.execute(db);
  return rows[0]?.timeline ?? '';
}
