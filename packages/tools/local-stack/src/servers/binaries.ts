import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { searchPath } from './config.js';

/** The programs of the machine that the local stack and the tests use. */
export type BinaryName =
  | 'postgres'
  | 'initdb'
  | 'nats-server'
  | 'redis-server'
  | 'chromium-headless-shell'
  | 'setpriv'
  | 'pdfsig'
  | 'pdftotext'
  | 'pdffonts'
  | 'qpdf'
  | 'openssl'
  | 'versitygw';

/** A folder that holds `initdb` and `postgres` of one PostgreSQL version. */
export interface PostgresFolder {
  /** Absolute path of the folder. */
  path: string;
  /** Major version, such as 15; null when the folder's name does not show it. */
  majorVersion: number | null;
}

/** Alternative names of a program, in order of preference. */
const otherNames: Partial<Record<BinaryName, readonly string[]>> = {
  'chromium-headless-shell': ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
};

/** Debian installs PostgreSQL's programs here, outside the PATH. */
const debianPostgresRoot = '/usr/lib/postgresql';

/** Folders with servers that a plain user's PATH often lacks. */
const systemFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/opt/homebrew/bin'];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function searchFolders(): string[] {
  const onPath = searchPath.split(delimiter).filter((folder) => folder !== '');
  return [...onPath, ...systemFolders];
}

function debianPostgresFolders(): PostgresFolder[] {
  let names: string[];
  try {
    names = readdirSync(debianPostgresRoot);
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ path: join(debianPostgresRoot, name, 'bin'), majorVersion: Number(name) }))
    .sort((a, b) => b.majorVersion - a.majorVersion);
}

/**
 * The folder of a complete PostgreSQL server: Debian's newest, otherwise one on the PATH.
 *
 * @param majorVersion - when given, only that version: a data folder opens only with the version that created it.
 * @returns null when there is none on the machine.
 */
export function findPostgresFolder(majorVersion?: number): PostgresFolder | null {
  const candidates = [
    ...debianPostgresFolders(),
    ...searchFolders().map((path) => ({ path, majorVersion: null })),
  ];
  const whole = candidates.filter(
    ({ path }) => isExecutable(join(path, 'initdb')) && isExecutable(join(path, 'postgres')),
  );
  if (majorVersion === undefined) {
    return whole[0] ?? null;
  }
  return (
    whole.find((folder) => folder.majorVersion === majorVersion) ??
    // A folder of unknown version may be the right one; the server itself rejects a wrong one.
    whole.find((folder) => folder.majorVersion === null) ??
    null
  );
}

/** {@link findBinary}, but throws when the program is missing. */
export function requireBinary(name: BinaryName): string {
  const path = findBinary(name);
  if (path === null) {
    throw new Error(`${name} is not installed on this machine`);
  }
  return path;
}

/**
 * The absolute path of one of the machine's programs, or null when the machine lacks it.
 *
 * Looks on the PATH, in the system's usual folders and, for PostgreSQL, in Debian's own.
 */
export function findBinary(name: BinaryName): string | null {
  if (name === 'postgres' || name === 'initdb') {
    const folder = findPostgresFolder();
    return folder === null ? null : join(folder.path, name);
  }
  const folders = searchFolders();
  for (const candidate of [name, ...(otherNames[name] ?? [])]) {
    const found = folders.map((folder) => join(folder, candidate)).find(isExecutable);
    if (found !== undefined) {
      return found;
    }
  }
  return null;
}
