import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { waitUntil } from './wait.js';

/**
 * One process and no other: a process id alone is given to somebody else after the process ends,
 * so it goes together with the instant at which the process started.
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
  // The second field is the program's name in parentheses and may hold spaces: count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  // A zombie has ended; it only waits for a parent that may never ask.
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

/** Who runs under this process id now, or null when nobody does. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const startedAt = existsSync('/proc/self/stat') ? linuxStart(pid) : otherStart(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** Whether exactly this process still runs. */
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
 * Ends exactly this process, which need not be our child: asks first, and kills it after `graceMs`.
 *
 * @returns when it is gone.
 * @throws Error when it survives even SIGKILL for five seconds.
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
