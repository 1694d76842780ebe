import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where one local system keeps its things. Two homes are two independent systems. */
export interface Home {
  path: string;
  /** What the world may know: addresses, process ids, the demo key. */
  stackFile: string;
  /** What the supervisor knows about its parts; see `run-state.ts`. */
  runStateFile: string;
  lockFile: string;
  secretsFile: string;
  /** The key and certificate that sign PDFs, PKCS#12. */
  signingFile: string;
  portsFile: string;
  demoFile: string;
  /** The folder of one part's data. */
  dataDir(part: string): string;
  /** The log file of one part. */
  logFile(part: string): string;
}

/** Names the files of a home and makes its folders. */
export function openHome(path: string): Home {
  // Others may pass through, so that PostgreSQL's own user reaches its folder; every secret file is closed by itself.
  for (const folder of [path, join(path, 'data'), join(path, 'logs')]) {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
  }
  return {
    path,
    stackFile: join(path, 'stack.json'),
    runStateFile: join(path, 'run.json'),
    lockFile: join(path, 'run.lock'),
    secretsFile: join(path, 'secrets.json'),
    signingFile: join(path, 'signing.p12'),
    portsFile: join(path, 'ports.json'),
    demoFile: join(path, 'demo.json'),
    dataDir: (part) => join(path, 'data', part),
    logFile: (part) => join(path, 'logs', `${part}.log`),
  };
}

/** Reads a JSON file of ours; null when it does not exist. */
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

/** Replaces a file as a whole, readable by its owner only: a reader sees the old text or the new, never half of one. */
export function writeWhole(file: string, content: string | Uint8Array): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, content, { mode: 0o600 });
  renameSync(unfinished, file);
}

/** `writeWhole` of a JSON value. */
export function writeJson(file: string, value: unknown): void {
  writeWhole(file, `${JSON.stringify(value, null, 2)}\n`);
}
