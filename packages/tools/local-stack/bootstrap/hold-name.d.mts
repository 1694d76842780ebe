/** Identifies one process. A process id is reused after its process ends, so the identity includes when the process started. */
export interface ProcessIdentity {
  pid: number;
  /** Opaque: only compared. */
  startedAt: string;
}

/** The process with this id, or null when there is none. */
export function identifyProcess(pid: number): ProcessIdentity | null;

/** Whether this process still runs. */
export function isAlive(identity: ProcessIdentity): boolean;

/** The running process that holds the name of a file, or null. */
export function holderOf(file: string): ProcessIdentity | null;

/**
 * Makes this process the only holder of a file's name until it removes the file or ends.
 * @returns null, or the process that holds it.
 */
export function holdName(file: string): ProcessIdentity | null;
