import type { Check } from '@pinkas/contracts';
import { type Kysely, sql } from 'kysely';
import { pingDatabase } from '../db/pool.js';
import { type CheckSource, failure, notChecked, ok, warning } from './diagnosis.js';
import { bytesText, secondsText } from './quantities.js';

const gib = 1024 ** 3;
const diskRunbook = 'docs/runbooks/disk-full.md';

/**
 * Checks the database of a service and its server.
 * @param migrations the names of the service's, in their order.
 */
export function databaseChecks<Tables>(
  db: Kysely<Tables>,
  databaseUrl: string,
  migrations: readonly string[],
): CheckSource {
  const { host, pathname } = new URL(databaseUrl);
  const database = `database ${decodeURIComponent(pathname.slice(1))}`;
  const server = `PostgreSQL at ${host}`;
  const unreachable = (finding: string) => [
    failure(
      'database',
      database,
      finding,
      `Check that ${server} runs and accepts the role of the service: docs/runbooks/server-unreachable.md`,
    ),
  ];
  return async () => {
    if (!(await pingDatabase(db))) {
      return unreachable('does not answer within a second');
    }
    try {
      return [
        await checkMigrations(db, database, migrations),
        ...(await checkServer(db, server)),
        await checkArchive(db, `write-ahead log of ${server}`),
      ];
    } catch (error) {
      return unreachable(`refuses a query: ${(error as Error).message}`);
    }
  };
}

async function checkMigrations<Tables>(
  db: Kysely<Tables>,
  subject: string,
  known: readonly string[],
): Promise<Check> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const applied = rows.map(({ name }) => name);
  const missing = known.filter((name) => !applied.includes(name));
  const newer = applied.filter((name) => !known.includes(name));
  const sizes = await sql<{ bytes: number }>`
    select pg_database_size(current_database())::float8 as bytes`.execute(db);
  const size = bytesText(sizes.rows[0]?.bytes ?? 0);
  if (missing.length > 0) {
    return failure(
      'database',
      subject,
      `lacks the migrations ${missing.join(', ')}`,
      'Run the migrations of this version: in the chart, restart the pods, whose init containers do',
    );
  }
  if (newer.length > 0) {
    return warning(
      'database',
      subject,
      `has the migrations ${newer.join(', ')} of a newer version`,
      'Complete the upgrade: docs/operating/upgrade.md',
    );
  }
  return ok('database', subject, `answers, has all ${known.length} migrations, holds ${size}`);
}

interface ServerRow {
  version: string;
  connections: number;
  connectionsMax: number;
  standbys: number;
  synchronous: string;
  slots: { name: string; active: boolean; retained: number | null; status: string | null }[] | null;
}

async function checkServer<Tables>(db: Kysely<Tables>, subject: string): Promise<Check[]> {
  const { rows } = await sql<ServerRow>`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      (select count(*)::int from pg_stat_activity where datname is not null) as connections,
      current_setting('max_connections')::int as "connectionsMax",
      (select count(*)::int from pg_stat_replication) as standbys,
      current_setting('synchronous_standby_names') as synchronous,
      (select json_agg(json_build_object('name', slot_name, 'active', active, 'status', wal_status,
        'retained', pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))) from pg_replication_slots) as slots
  `.execute(db);
  const [row] = rows;
  if (!row) {
    return [];
  }
  const { version, connections, connectionsMax, standbys, synchronous, slots } = row;
  const used = `${connections} of ${connectionsMax} connections`;
  const facts = `version ${version}, ${used}${standbys === 0 ? '' : `, ${standbys} connected standbys`}`;
  return [
    connections > connectionsMax * 0.8
      ? warning('database', subject, `${used} are in use`, 'Raise max_connections: docs/operating/sizing.md')
      : ok('database', subject, facts),
    ...checkStandbys(subject, standbys, synchronous),
    ...(slots ?? []).flatMap((slot) => checkSlot(subject, slot)),
  ];
}

function checkStandbys(subject: string, standbys: number, synchronous: string): Check[] {
  if (standbys > 0) {
    return [];
  }
  return synchronous === ''
    ? [
        warning(
          'database',
          `standbys of ${subject}`,
          'there is none: documents are on one disk',
          'Run PostgreSQL with a synchronous standby: docs/operating/install.md',
        ),
      ]
    : [
        failure(
          'database',
          `standbys of ${subject}`,
          'none is connected, and commits wait for one',
          'Start the standbys: docs/runbooks/server-unreachable.md',
        ),
      ];
}

function checkSlot(
  server: string,
  { name, active, retained, status }: NonNullable<ServerRow['slots']>[number],
): Check[] {
  const subject = `replication slot ${name} of ${server}`;
  if (status === 'lost') {
    return [
      failure(
        'database',
        subject,
        'its standby lacks log that is gone',
        'Create the standby again from a base backup',
      ),
    ];
  }
  const kept = bytesText(retained ?? 0);
  if (!active && (retained ?? 0) > gib) {
    return [
      failure('database', subject, `nothing reads it, and ${kept} of log are kept for it`, diskRunbook),
    ];
  }
  return active
    ? []
    : [warning('database', subject, `nothing reads it; ${kept} of log are kept for it`, diskRunbook)];
}

interface ArchiveRow {
  mode: string;
  timeoutSeconds: number;
  segmentBytes: number;
  current: string;
  archived: string | null;
  archivedSeconds: number | null;
  isFailing: boolean;
}

/** How long a segment that is full may wait for the archive. */
const archiveLateSeconds = 15 * 60;
/** How much the archive may lack of what was committed, in time. */
const archiveGapSeconds = 60 * 60;

async function checkArchive<Tables>(db: Kysely<Tables>, subject: string): Promise<Check> {
  const { rows } = await sql<ArchiveRow>`
    select current_setting('archive_mode') as mode,
      extract(epoch from current_setting('archive_timeout')::interval)::int as "timeoutSeconds",
      (select setting::int from pg_settings where name = 'wal_segment_size') as "segmentBytes",
      pg_walfile_name(pg_current_wal_lsn()) as current,
      last_archived_wal as archived,
      extract(epoch from clock_timestamp() - last_archived_time)::int as "archivedSeconds",
      coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as "isFailing"
    from pg_stat_archiver
  `.execute(db);
  const [row] = rows;
  return row
    ? archiveCheck(subject, row)
    : notChecked('backups', subject, 'the server does not state what it archives', 'Look at its log');
}

/** The finding about the archive of the write-ahead log. */
export function archiveCheck(subject: string, row: ArchiveRow): Check {
  const remedy = 'Look at archive_command and the log of PostgreSQL: docs/operating/backup-and-restore.md';
  if (row.mode === 'off') {
    return warning(
      'backups',
      subject,
      'is not archived: a restore brings back the last base backup, and nothing after it',
      'Archive it: docs/operating/backup-and-restore.md',
    );
  }
  const age = row.archivedSeconds === null ? null : secondsText(row.archivedSeconds);
  if (row.isFailing) {
    const last = age === null ? 'nothing was archived yet' : `the last segment was archived ${age} ago`;
    return failure('backups', subject, `its archiver fails; ${last}`, remedy);
  }
  if (age === null || row.archived === null || row.archivedSeconds === null) {
    return warning('backups', subject, 'nothing was archived yet', remedy);
  }
  const waiting = segmentOf(row.current, row.segmentBytes) - segmentOf(row.archived, row.segmentBytes) - 1;
  if (waiting > 0 && row.archivedSeconds > archiveLateSeconds) {
    return failure('backups', subject, `${waiting} segments wait for the archive, for ${age}`, remedy);
  }
  if (row.timeoutSeconds === 0 && row.archivedSeconds > archiveGapSeconds) {
    return warning(
      'backups',
      subject,
      `the last segment was archived ${age} ago: what was committed since may be lost with the disk`,
      'Set archive_timeout to 5min, so that a segment is archived before it is full',
    );
  }
  return ok('backups', subject, `the last segment was archived ${age} ago`);
}

/** The number of a segment, by the name of its file: timeline, and 64 bits of which the second part counts segments. */
function segmentOf(name: string, segmentBytes: number): number {
  const perLog = 2 ** 32 / segmentBytes;
  return Number.parseInt(name.slice(8, 16), 16) * perLog + Number.parseInt(name.slice(16, 24), 16);
}
