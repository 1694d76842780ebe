import { readFileSync } from 'node:fs';

const npmCheckIntervalMs = 500;

/** The name and the parent of a process; null on a system without /proc. */
function processInfo(pid: number): { name: string; parent: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const nameEnd = stat.lastIndexOf(')');
    const [, parent] = stat.slice(nameEnd + 2).split(' ');
    return { name: stat.slice(stat.indexOf('(') + 1, nameEnd), parent: Number(parent) };
  } catch {
    return null;
  }
}

/** What may be between npm and this process: the shell of the script, and the Node that installed the one of this process. */
const between = new Set(['sh', 'node']);

/** The processes from the parent of this one to the npm that runs it. */
function parents(): string {
  const ids = [process.ppid];
  for (let parent = processInfo(process.ppid); parent && between.has(parent.name); ) {
    ids.push(parent.parent);
    parent = processInfo(parent.parent);
  }
  return ids.join(' ');
}

/**
 * Calls `onGone` when the npm that runs this process has ended: neither a killed npm nor the shell between npm and this process
 * forwards a signal.
 */
export function onNpmGone(onGone: () => void): void {
  const atStart = parents();
  const timer = setInterval(() => {
    if (parents() !== atStart) {
      clearInterval(timer);
      onGone();
    }
  }, npmCheckIntervalMs);
  timer.unref();
}

/**
 * Calls `first` at the first SIGINT, SIGTERM or SIGHUP and `again` at every later one.
 *
 * @returns a function that removes the handlers.
 */
export function onStopSignals(first: (signal: NodeJS.Signals) => void, again: () => void): () => void {
  const names: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  let count = 0;
  const handler = (signal: NodeJS.Signals) => {
    count += 1;
    if (count === 1) {
      first(signal);
    } else {
      again();
    }
  };
  for (const name of names) {
    process.on(name, handler);
  }
  return () => {
    for (const name of names) {
      process.off(name, handler);
    }
  };
}
