import { rmSync } from 'node:fs';
import { holderOf, holdName } from '../bootstrap/hold-name.mjs';
import { type Home, readJson } from './home.js';
import { layers } from './part.js';
import { endProcess, identifyProcess, isAlive, type ProcessIdentity } from './servers/index.js';
import type { Failure, PartState } from './supervisor.js';

/** The state that a home's supervisor writes for commands in other processes. */
export interface RunState {
  supervisor: ProcessIdentity;
  phase: 'starting' | 'ready' | 'stopping' | 'stopped' | 'failed';
  failure: Failure | null;
  /** The number of finished repairs. */
  repairs: number;
  parts: PartState[];
}

/** Another supervisor runs this home. */
export class HomeInUseError extends Error {
  override readonly name = 'HomeInUseError';

  constructor(
    readonly home: string,
    readonly holder: ProcessIdentity,
  ) {
    super(`the system in ${home} is already run by process ${holder.pid}`);
  }
}

/** The grace period of parts that outlived their supervisor. It is short, since no caller is left to drain for. */
const leftoverGraceMs = 10_000;

/** The process that runs this home, or null when no process does. */
export function supervisorOf(home: Home): ProcessIdentity | null {
  return holderOf(home.lockFile);
}

/** The last state that this supervisor wrote, whether it still runs or not; null when it has written none yet. */
export function readState(home: Home, supervisor: ProcessIdentity): RunState | null {
  const state = readJson<RunState>(home.runStateFile);
  const { pid, startedAt } = state?.supervisor ?? {};
  return pid === supervisor.pid && startedAt === supervisor.startedAt ? state : null;
}

/** The identity of this process. */
export function identifySelf(): ProcessIdentity {
  const self = identifyProcess(process.pid);
  if (self === null) {
    throw new Error('this process cannot find itself in the process table');
  }
  return self;
}

/**
 * Makes this process the only supervisor of the home.
 *
 * @returns a function that releases the home.
 * @throws HomeInUseError when another supervisor runs the home.
 */
export function acquireHome(home: Home): () => void {
  const holder = holdName(home.lockFile);
  if (holder !== null) {
    throw new HomeInUseError(home.path, holder);
  }
  return () => rmSync(home.lockFile, { force: true });
}

/**
 * Ends the processes that an earlier supervisor of this home left running, and no others: a process is identified by its
 * id together with the instant of its start.
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
          // PostgreSQL ends its sessions on SIGINT; on SIGTERM it waits until all clients have disconnected.
          const stopSignal = name === 'postgres' ? 'SIGINT' : 'SIGTERM';
          await endProcess(identity, { stopSignal, graceMs: leftoverGraceMs });
          ended.push(name);
        }
      }),
    );
  }
  return ended;
}
