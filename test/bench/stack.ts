import type { StackFile } from '@pinkas/local-stack';

/** The running system that is measured. */
export interface BenchStack {
  home: string;
  file: StackFile;
  /** The operator's command; its JSON value. */
  // biome-ignore lint/suspicious/noExplicitAny: each command prints a value of its own.
  pinkas(...args: string[]): Promise<any>;
}
