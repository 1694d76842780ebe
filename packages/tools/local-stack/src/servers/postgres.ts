import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findPostgresFolder, type PostgresFolder } from './binaries.js';
import { startChild } from './child-process.js';
import { serverEnvironment } from './config.js';
import { lastLines } from './log-file.js';
import { type RunningServer, type ServerOptions, StartFailedError, startServer } from './server.js';

const run = promisify(execFile);

/** The options of a PostgreSQL server. */
export interface PostgresOptions extends ServerOptions {
  /** false: nothing is flushed to disk, for tests. Several times faster, but a power failure destroys the data. */
  durable: boolean;
  /** The password of the administrator `postgres`. Default: a random one; an existing data folder requires its own. */
  password?: string;
  /** More settings of the server, such as `{ max_connections: '300' }`. */
  settings?: Readonly<Record<string, string>>;
}

/** A running PostgreSQL server; `url` is the administrator's. */
export interface RunningPostgres extends RunningServer {
  /** The administrator's password. */
  password: string;
}

interface RunAs {
  uid: number;
  gid: number;
  passesClosedFolders: boolean;
}

const baseSettings = {
  listen_addresses: '127.0.0.1',
  // A socket's path is limited to about a hundred bytes, which a deep data folder exceeds.
  unix_socket_directories: '',
  max_connections: '200',
  // JIT compilation takes longer than any query of the services.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

const volatileSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // A worker for each database of each test file costs more than what it would clean up.
  autovacuum_naptime: '10min',
};

/** The user that runs PostgreSQL when this process is root: PostgreSQL refuses to run as root. */
async function plainUser(): Promise<{ uid: number; gid: number }> {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // The user does not exist; the next one may.
    }
  }
  throw new Error('PostgreSQL refuses to run as root, and the machine has no user postgres or nobody');
}

async function canReach(user: { uid: number; gid: number }, folder: string): Promise<boolean> {
  try {
    await run('test', ['-w', folder], { ...user, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}

/**
 * The user that runs the server below this parent folder.
 *
 * Other users cannot enter a folder made by `mktemp -d` or below /root. The server then keeps the capability to pass through
 * such folders; otherwise their modes would have to change, or the data would have to be elsewhere.
 */
async function chooseUser(parentFolder: string): Promise<RunAs | undefined> {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const user = await plainUser();
  const probe = join(parentFolder, `.reach-${randomBytes(6).toString('hex')}`);
  mkdirSync(probe, { mode: 0o700 });
  try {
    chownSync(probe, user.uid, user.gid);
    return { ...user, passesClosedFolders: !(await canReach(user, probe)) };
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

function installedFolder(dataDir: string): PostgresFolder {
  const versionFile = join(dataDir, 'PG_VERSION');
  const majorVersion = existsSync(versionFile) ? Number(readFileSync(versionFile, 'utf8')) : undefined;
  const folder = findPostgresFolder(majorVersion);
  if (folder === null) {
    const which =
      majorVersion === undefined ? 'PostgreSQL' : `PostgreSQL ${majorVersion}, which created ${dataDir},`;
    throw new Error(`${which} is not installed on this machine`);
  }
  return folder;
}

/**
 * Creates a data folder beside its final path and renames it when it is complete, so that a crash leaves no incomplete data
 * folder.
 */
async function createDataFolder(
  binaries: PostgresFolder,
  options: PostgresOptions,
  password: string,
  runAs: RunAs | undefined,
): Promise<void> {
  const unfinished = `${options.dataDir}.unfinished`;
  const passwordFile = `${options.dataDir}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  rmSync(passwordFile, { force: true });
  try {
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    if (runAs !== undefined) {
      chownSync(unfinished, runAs.uid, runAs.gid);
      chownSync(passwordFile, runAs.uid, runAs.gid);
    }
    const child = await startChild({
      file: join(binaries.path, 'initdb'),
      args: [
        ...['--pgdata', unfinished, '--username', 'postgres', '--pwfile', passwordFile],
        ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--no-sync'],
        ...(process.platform === 'linux' ? ['--locale', 'C.UTF-8'] : ['--no-locale']),
      ],
      env: serverEnvironment,
      logFile: options.logFile,
      stopSignal: 'SIGKILL',
      stopGraceMs: 0,
      ...(runAs === undefined ? {} : { runAs }),
    });
    const timer = setTimeout(child.kill, 60_000);
    const { code } = await child.exited;
    clearTimeout(timer);
    if (code !== 0) {
      throw new StartFailedError('initdb', `ended with code ${code}`, lastLines(options.logFile, 15));
    }
    rmSync(options.dataDir, { recursive: true, force: true });
    renameSync(unfinished, options.dataDir);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Whether a process has the data folder as its working directory, as every PostgreSQL process has. True without /proc. */
function isInUse(dataDir: string): boolean {
  let pids: string[];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return true;
  }
  return pids.some((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === dataDir;
    } catch {
      return false;
    }
  });
}

/**
 * Removes the lock of a server that was killed. PostgreSQL refuses to start while a process with the recorded id exists, even
 * when another program has that id, as after the restart of a container.
 */
function removeStaleLock(dataDir: string): void {
  if (!isInUse(realpathSync(dataDir))) {
    rmSync(join(dataDir, 'postmaster.pid'), { force: true });
  }
}

/** Whether the server with this process id accepts connections on this port. */
function isServerReady(dataDir: string, port: number, pid: number): boolean {
  // Lines of postmaster.pid: 1 process id, 4 port, 8 status.
  const lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
  return lines[0] === String(pid) && lines[3] === String(port) && lines[7]?.trim() === 'ready';
}

/**
 * Starts PostgreSQL on 127.0.0.1, where every user needs a password.
 *
 * When this process is root, the server runs as the system's user `postgres`.
 *
 * @throws Error when the machine has no PostgreSQL, or not the version that created `dataDir`, and what {@link startServer} throws.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { dataDir } = options;
  const binaries = installedFolder(dataDir);
  const isNew = !existsSync(join(dataDir, 'PG_VERSION'));
  if (!isNew && options.password === undefined) {
    throw new Error(`${dataDir} already has a database, so its password is required`);
  }
  const password = options.password ?? randomBytes(24).toString('hex');
  // Mode 711 lets a server that runs as another user pass through, but not list the folder.
  mkdirSync(dirname(dataDir), { recursive: true, mode: 0o711 });
  const runAs = await chooseUser(dirname(dataDir));
  if (isNew) {
    await createDataFolder(binaries, options, password, runAs);
  } else {
    removeStaleLock(dataDir);
  }
  chmodSync(dataDir, 0o700);
  const settings = {
    ...baseSettings,
    ...(options.durable ? {} : volatileSettings),
    ...options.settings,
  };
  const server = await startServer(
    {
      name: 'postgres',
      file: join(binaries.path, 'postgres'),
      args: (port) => [
        ...['-D', dataDir, '-p', String(port)],
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      env: serverEnvironment,
      // 'Fast' shutdown: open transactions are rolled back, sessions end, the data is written.
      stopSignal: 'SIGINT',
      parentDeathSignal: 'SIGINT',
      ...(runAs === undefined ? {} : { runAs }),
      answers: (port, pid) => isServerReady(dataDir, port, pid),
      url: (port) => `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
    },
    options,
  );
  return { ...server, password };
}
