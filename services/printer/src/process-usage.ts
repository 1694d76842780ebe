import { readFileSync } from 'node:fs';

/** What a process has used. */
export interface ProcessUsage {
  /** Memory that is its own, in bytes: what it shares with other processes is not counted. */
  readonly privateBytes: number;
  /** Processor time, in ticks of the kernel. */
  readonly cpuTicks: number;
}

const bytesPerMemoryPage = 4_096;

/** Reads the usage of a process from the kernel; undefined where it has ended, or the system has no /proc. */
export function readUsage(pid: number): ProcessUsage | undefined {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ').map(Number);
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      privateBytes: (resident - shared) * bytesPerMemoryPage,
      cpuTicks: Number(fields[11]) + Number(fields[12]),
    };
  } catch {
    return undefined;
  }
}
