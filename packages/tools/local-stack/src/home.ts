import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of one local system. Two homes are two independent systems. */
export interface Home {
  path: string;
  /** What made its databases; see `home-version.ts`. */
  versionFile: string;
  /** For scripts and tests: addresses, process ids, the demo key. */
  stackFile: string;
  /** The supervisor's state; see `run-state.ts`. */
  runStateFile: string;
  lockFile: string;
  secretsFile: string;
  /** The key and certificate that sign PDFs, PKCS#12. */
  signingFile: string;
  /** Those that sign the documents of test books. */
  testSigningFile: string;
  portsFile: string;
  demoFile: string;
  /** The folder of one part's data. */
  dataDir(part: string): string;
  /** The log file of one part. */
  logFile(part: string): string;
}

/** Creates the folders of a home and returns its paths. */
export function openHome(path: string): Home {
  // Mode 711 lets PostgreSQL's own user reach its folder; every file with a secret has mode 600.
  for (const folder of [path, join(path, 'data'), join(path, 'logs')]) {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
  }
  return {
    path,
    versionFile: join(path, 'version.json'),
    stackFile: join(path, 'stack.json'),
    runStateFile: join(path, 'run.json'),
    lockFile: join(path, 'run.lock'),
    secretsFile: join(path, 'secrets.json'),
    signingFile: join(path, 'signing.p12'),
    testSigningFile: join(path, 'test-signing.p12'),
    portsFile: join(path, 'ports.json'),
    demoFile: join(path, 'demo.json'),
    dataDir: (part) => join(path, 'data', part),
    logFile: (part) => join(path, 'logs', `${part}.log`),
  };
}

/** Reads a JSON file of the home; null when it does not exist. */
export function readJson<Value>(file: string): Value | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
  return JSON.parse(text) as Value;
}

/** Replaces a file atomically; only its owner can read it. */
export function writeWhole(file: string, content: string | Uint8Array): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, content, { mode: 0o600 });
  renameSync(unfinished, file);
}

/** `writeWhole` of a JSON value. */
export function writeJson(file: string, value: unknown): void {
  writeWhole(file, `${JSON.stringify(value, null, 2)}\n`);
}
