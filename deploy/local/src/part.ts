import type { RunningChild } from '@pinkas/local-servers';

/**
 * What kind a part is. Parts stop in the opposite order of this list, one kind after the other: the edge takes no new
 * requests while everything behind it still answers, and the servers go last.
 */
export const layers = ['server', 'stand-in', 'database', 'service', 'edge', 'demo'] as const;

/** One of the kinds. */
export type Layer = (typeof layers)[number];

interface Described {
  name: string;
  layer: Layer;
  /** Parts that must have been ready once before this one starts. */
  needs: readonly string[];
  /** Where it says what went wrong. */
  logFile: string;
}

/** A part that runs until it is stopped, and is started again when it dies. */
export interface ProcessPart extends Described {
  kind: 'process';
  /** Starts it. A part without `isReady` is ready when this returns. */
  start(): Promise<RunningChild>;
  /** Whether it can do its work; asked until it says yes. Throws when it does not answer at all. */
  isReady?(): Promise<boolean>;
  /** Milliseconds that it may take to get ready before it is killed and started again. */
  readyWithinMs: number;
  /** GET answers 200 when it can do its work; null where it speaks no HTTP. */
  healthUrl: string | null;
}

/** A part that is done once, such as a migration. */
export interface TaskPart extends Described {
  kind: 'task';
  /** @param signal - aborted when the system stops meanwhile. */
  run(signal: AbortSignal): Promise<void>;
}

/** A part of the local system. */
export type Part = ProcessPart | TaskPart;
