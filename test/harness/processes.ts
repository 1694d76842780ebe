import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { RunningStack } from './running-stack.js';

/* What Linux says of processes in /proc; nothing of it is known elsewhere. */

const clockTicksPerS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Empty where the process is gone. */
function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** One line of /proc/<pid>/stat. */
function statOf(pid: number): { pid: number; parent: number; cpuS: number } {
  const text = fileOf(pid, 'stat');
  // The name before may hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (index: number) => Number(fields[index] ?? 0);
  // User and system time, with what its children used that have ended.
  return { pid, parent: ticks(1), cpuS: (ticks(11) + ticks(12) + ticks(13) + ticks(14)) / clockTicksPerS };
}

/** A process and all that it has started and that still run. */
function treeOf(pid: number): { pid: number; cpuS: number }[] {
  const table = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)));
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
  const parts = treeOf(pid).flatMap((row) => [
    ...fileOf(row.pid, 'smaps_rollup').matchAll(/^Pss_(?:Anon|Shmem):\s+(\d+) kB$/gm),
  ]);
  return parts.reduce((sum, [, kb]) => sum + Number(kb), 0) / 1_024;
}

/** The memory of a process that is not swapped out, or the largest that it has had so far, in MB; 0 where it has ended. */
export function memoryMbOf(pid: number, kind: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB$`, 'm').exec(fileOf(pid, 'status'))?.[1] ?? 0) / 1_024;
}

/** What a measure says of each process of a system, by name. */
export async function eachProcess(
  stack: RunningStack,
  measure: (pid: number) => number,
): Promise<Map<string, number>> {
  return new Map((await stack.file()).services.map(({ name, pid }) => [name, measure(pid)]));
}

/** The processor time that each process of a system uses during some work, in seconds. */
export async function cpuSecondsDuring<T>(
  stack: RunningStack,
  work: () => Promise<T>,
): Promise<{ result: T; used: Map<string, number> }> {
  const before = await eachProcess(stack, cpuSecondsOf);
  const result = await work();
  const used = await eachProcess(stack, cpuSecondsOf);
  return { result, used: new Map([...used].map(([name, s]) => [name, s - (before.get(name) ?? 0)])) };
}

/** The processes that a process has started. */
export const childrenOf = (pid: number): number[] =>
  fileOf(pid, `task/${pid}/children`).trim().split(/\s+/).filter(Boolean).map(Number);

/** Stops parts of the system where they are. @returns what lets them go on; it may be called again. */
export async function freeze(stack: RunningStack, parts: readonly string[]): Promise<() => void> {
  const pids = await Promise.all(parts.map((part) => stack.pidOf(part)));
  signalAll(pids, 'SIGSTOP');
  // PostgreSQL serves each connection by a process of its own.
  const all = [...pids, ...pids.flatMap(childrenOf)];
  signalAll(all, 'SIGSTOP');
  return () => signalAll(all, 'SIGCONT');
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
        throw error;
      }
    }
  }
}
