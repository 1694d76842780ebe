import { readFileSync } from 'node:fs';

const lookForNpmEveryMs = 500;

/** The name and the parent of a process; null where the system does not tell. */
function lookAt(pid: number): { name: string; parent: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const nameEnd = stat.lastIndexOf(')');
    const [, parent] = stat.slice(nameEnd + 2).split(' ');
    return { name: stat.slice(stat.indexOf('(') + 1, nameEnd), parent: Number(parent) };
  } catch {
    return null;
  }
}

/** Who runs this process: its parent and, where that is only the shell of an npm script, whoever runs the shell. */
function parents(): string {
  const parent = lookAt(process.ppid);
  return parent?.name === 'sh' ? `${process.ppid} ${parent.parent}` : String(process.ppid);
}

/**
 * Calls `gone` when the npm that runs this process is gone: neither a killed npm nor the shell between it and us passes
 * a signal on.
 */
export function onNpmGone(gone: () => void): void {
  const atStart = parents();
  const timer = setInterval(() => {
    if (parents() !== atStart) {
      clearInterval(timer);
      gone();
    }
  }, lookForNpmEveryMs);
  timer.unref();
}

/**
 * Calls `first` at the first SIGINT, SIGTERM or SIGHUP and `again` at every later one.
 *
 * @returns takes the handlers away.
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
