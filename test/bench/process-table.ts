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

/** A process and all that it has started and that still run. */
function treeOf(pid: number): { pid: number; cpuS: number }[] {
  const table = readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    return stat ? [{ pid: Number(name), ...stat }] : [];
  });
  const below = (parentPid: number): typeof table =>
    table.filter(({ parent }) => parent === parentPid).flatMap((child) => [child, ...below(child.pid)]);
  return [...table.filter((row) => row.pid === pid), ...below(pid)];
}

/** The processor time that a process and all that it has started have used so far, in seconds. */
export function cpuSecondsOf(pid: number): number {
  return treeOf(pid).reduce((sum, { cpuS }) => sum + cpuS, 0);
}

/**
 * The memory of a process and of all that it has started, in MB, without the files of their programs, which they share with
 * processes of others; what several of them share counts once.
 */
export function proportionalMbOf(pid: number): number {
  return treeOf(pid).reduce((sum, row) => sum + proportionalKbOf(row.pid), 0) / 1_024;
}

/** 0 where the process has just ended. */
function proportionalKbOf(pid: number): number {
  try {
    const parts = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(
      /^Pss_(?:Anon|Shmem):\s+(\d+) kB$/gm,
    );
    return [...parts].reduce((sum, [, kb]) => sum + Number(kb), 0);
  } catch {
    return 0;
  }
}

/** The memory of a process that is not swapped out, in MB. */
export function residentMbOf(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1_024;
}

/** The largest memory that a process has had so far, in MB; 0 where it has just ended. */
export function peakMbOf(pid: number): number {
  try {
    const kb = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kb ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
