import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/* What Linux says of processes in /proc; nothing of it is known elsewhere. */

const clockTicksPerS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** One line of /proc/<pid>/stat. Null where the process is gone. */
function statOf(pid: number): { parent: number; cpuS: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before may hold spaces and parentheses.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent, user, system, childrenUser, childrenSystem] = [1, 11, 12, 13, 14].map(
      (index) => fields[index] ?? 0,
    ) as [number, number, number, number, number];
    // With what its children used that have ended.
    return { parent, cpuS: (user + system + childrenUser + childrenSystem) / clockTicksPerS };
  } catch {
    return null;
  }
}

/** The processor time that a process and all that it has started have used so far, in seconds. */
export function cpuSecondsOf(pid: number): number {
  const table = new Map<number, { parent: number; cpuS: number }>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    if (stat) {
      table.set(Number(name), stat);
    }
  }
  const below = (one: number): number =>
    (table.get(one)?.cpuS ?? 0) +
    [...table].filter(([, { parent }]) => parent === one).reduce((sum, [child]) => sum + below(child), 0);
  return below(pid);
}

/** The memory of a process that is not swapped out, in MB. */
export function residentMbOf(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1_024;
}
