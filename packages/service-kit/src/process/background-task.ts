/** A part of a service that runs next to its operations: an HTTP listener, a periodic task, a job worker. */
export interface BackgroundTask {
  start(): Promise<void> | void;
  /** Takes no new work, and waits for the work in flight. */
  stop(): Promise<void>;
  /** Why it is not ready, or null. */
  ready?(): Promise<string | null>;
  /** What needs the operator although the task is ready. */
  warnings?(): string[];
}
