import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { endProcess, identifyProcess, isAlive, type ProcessIdentity } from '@pinkas/local-servers';
import { type Home, readJson, writeJson } from './home.js';
import { layers } from './part.js';
import type { Failure, PartState } from './supervisor.js';

/** What a home's supervisor says about itself, for commands in other processes. */
export interface RunState {
  supervisor: ProcessIdentity;
  phase: 'starting' | 'ready' | 'stopping' | 'stopped' | 'failed';
  failure: Failure | null;
  /** How often a repair was asked for and finished. */
  repairs: number;
  parts: PartState[];
}

/** Another supervisor works in this home. */
export class HomeInUseError extends Error {
  override readonly name = 'HomeInUseError';

  constructor(
    readonly home: string,
    readonly holder: ProcessIdentity,
  ) {
    super(`the system in ${home} is already run by process ${holder.pid}`);
  }
}

/** Ends of parts that outlived their supervisor: it has nobody to drain for any more. */
const leftoverGraceMs = 10_000;

/** The process that runs this home, or null when none does. */
export function supervisorOf(home: Home): ProcessIdentity | null {
  const holder = readHolder(home.lockFile);
  return holder !== null && isAlive(holder) ? holder : null;
}

/** What this supervisor last said, dead or alive; null when it has said nothing yet. */
export function stateSaidBy(home: Home, supervisor: ProcessIdentity): RunState | null {
  const state = readJson<RunState>(home.runStateFile);
  const { pid, startedAt } = state?.supervisor ?? {};
  return pid === supervisor.pid && startedAt === supervisor.startedAt ? state : null;
}

function readHolder(file: string): ProcessIdentity | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    return null;
  }
}

/**
 * Makes this process the only supervisor of the home.
 *
 * @returns gives the home back.
 * @throws HomeInUseError when another one lives.
 */
export function takeHome(home: Home): () => void {
  const self = identifyProcess(process.pid);
  if (self === null) {
    throw new Error('this process cannot see itself in the process table');
  }
  const mine = `${home.lockFile}.${process.pid}`;
  writeJson(mine, self);
  try {
    for (let attempt = 0; attempt < 20; attempt++) {
      try {
        // A link appears as a whole or not at all, with its content.
        linkSync(mine, home.lockFile);
        return () => rmSync(home.lockFile, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
          throw error;
        }
      }
      const holder = readHolder(home.lockFile);
      if (holder !== null && isAlive(holder)) {
        throw new HomeInUseError(home.path, holder);
      }
      discardStaleLock(home, mine);
    }
    throw new Error(`${home.lockFile} cannot be taken; remove it if nothing runs in this home`);
  } finally {
    rmSync(mine, { force: true });
  }
}

function discardStaleLock(home: Home, mine: string): void {
  const aside = `${mine}.stale`;
  try {
    renameSync(home.lockFile, aside);
  } catch {
    // Somebody else discarded it first.
    return;
  }
  const moved = readHolder(aside);
  if (moved !== null && isAlive(moved)) {
    // Between our look and our grip a living one took the lock: it gets it back.
    linkSync(aside, home.lockFile);
  }
  rmSync(aside, { force: true });
}

/**
 * Ends what an earlier supervisor of this home left behind, and nothing else: each process is known by its id together
 * with the instant of its start.
 *
 * @returns the names of the parts that were ended.
 */
export async function endLeftovers(home: Home): Promise<string[]> {
  const state = readJson<RunState>(home.runStateFile);
  const ended: string[] = [];
  for (const layer of [...layers].reverse()) {
    const left = (state?.parts ?? []).filter(
      (part) => part.layer === layer && part.process !== null && isAlive(part.process),
    );
    await Promise.all(
      left.map(async ({ name, process: identity }) => {
        if (identity !== null) {
          // PostgreSQL takes SIGINT for 'now', SIGTERM for 'when all clients have left'.
          const stopSignal = name === 'postgres' ? 'SIGINT' : 'SIGTERM';
          await endProcess(identity, { stopSignal, graceMs: leftoverGraceMs });
          ended.push(name);
        }
      }),
    );
  }
  return ended;
}
