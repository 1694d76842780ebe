import type { StackFile } from '@pinkas/local-stack';

/** The running system that is measured. */
export interface BenchStack {
  home: string;
  file: StackFile;
  /** The operator's command; its JSON value. */
  // biome-ignore lint/suspicious/noExplicitAny: each command prints a value of its own.
  pinkas(...args: string[]): Promise<any>;
}

/** Stops some of the system's own processes where they are. @returns what lets them go on. */
export function freeze(stack: BenchStack, names: readonly string[]): () => void {
  const pids = stack.file.services.filter(({ name }) => names.includes(name)).map(({ pid }) => pid);
  for (const pid of pids) {
    process.kill(pid, 'SIGSTOP');
  }
  return () => {
    for (const pid of pids) {
      process.kill(pid, 'SIGCONT');
    }
  };
}
