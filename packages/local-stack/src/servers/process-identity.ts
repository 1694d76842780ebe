import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { waitUntil } from './wait-until.js';

/**
 * Identifies one process. A process id is reused after its process ends, so the identity includes the start time of the
 * process.
 */
export interface ProcessIdentity {
  pid: number;
  /** Opaque: only compared. On Linux the clock ticks from boot to the process's start. */
  startedAt: string;
}

function linuxStart(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The second field is the program's name in parentheses and may contain spaces: count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  // A zombie has ended; only its parent has not read the exit code yet.
  if (state === 'Z' || state === 'X') {
    return null;
  }
  return fields[19] ?? null;
}

function otherStart(pid: number): string | null {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
  } catch {
    return null;
  }
}

/** The process with this id, or null when there is none. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const startedAt = existsSync('/proc/self/stat') ? linuxStart(pid) : otherStart(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** Whether this process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt;
}

function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(identity)) {
    return;
  }
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}

/**
 * Ends this process, which need not be a child: sends `stopSignal`, and kills it after `graceMs`.
 *
 * @returns when the process has ended.
 * @throws Error when the process still runs five seconds after SIGKILL.
 */
export async function endProcess(
  identity: ProcessIdentity,
  { stopSignal, graceMs }: { stopSignal: NodeJS.Signals; graceMs: number },
): Promise<void> {
  signal(identity, stopSignal);
  try {
    await waitUntil(() => !isAlive(identity), { what: `process ${identity.pid} ends`, timeoutMs: graceMs });
  } catch {
    signal(identity, 'SIGKILL');
    await waitUntil(() => !isAlive(identity), {
      what: `process ${identity.pid} ends on SIGKILL`,
      timeoutMs: 5_000,
    });
  }
}
