import type { Addresses } from './addresses.js';
import type { StackConfig } from './config.js';
import type { Home } from './home.js';
import type { Ports } from './ports.js';
import type { Secrets } from './secrets.js';
import type { RunningChild } from './servers/index.js';

/**
 * The layers of parts. Layers stop in the reverse order of this list: the edge stops accepting requests while the services
 * behind it still answer, and the servers stop last.
 */
export const layers = ['server', 'simulator', 'database', 'service', 'edge', 'demo'] as const;

/** One of the layers. */
export type Layer = (typeof layers)[number];

interface PartBase {
  name: string;
  layer: Layer;
  /** Parts that must have been ready once before this part starts. */
  needs: readonly string[];
  /** The log of the part. */
  logFile: string;
}

/** A service in a process of several, with its own log and probes. */
export interface PartMember {
  name: string;
  log: string;
  healthUrl: string;
}

/** A process that runs until it is stopped, and is restarted when it crashes. */
export interface ProcessPart extends PartBase {
  kind: 'process';
  /** Starts the process. A part without `isReady` is ready when this resolves. */
  start(): Promise<RunningChild>;
  /** Whether the process can do its work; called until it returns true. Throws when the process does not answer. */
  isReady?(): Promise<boolean>;
  /** Milliseconds until the process must be ready; otherwise it is killed and restarted. */
  readyWithinMs: number;
  /** GET answers 200 when the process can do its work; null when it has no HTTP server. */
  healthUrl: string | null;
  /** The services in the process, where it has several. */
  members?: readonly PartMember[];
}

/** A task that runs once, such as a migration. */
export interface TaskPart extends PartBase {
  kind: 'task';
  /** @param signal - aborted when the system stops. */
  run(signal: AbortSignal): Promise<void>;
}

/** A part of the local system. */
export type Part = ProcessPart | TaskPart;

/** The input of the parts of one home. */
export interface PartsContext {
  config: StackConfig;
  home: Home;
  ports: Ports;
  secrets: Secrets;
  addresses: Addresses;
  /** Creates the demo business, after all other parts are ready. */
  makeDemo(signal: AbortSignal): Promise<void>;
}
