import type { BackgroundTask } from '../process/background-task.js';
import type { Logger } from '../process/logger.js';
import { Poller, type TickResult } from './poller.js';

/** A background task that repeats a tick at an interval; a tick that fails is repeated sooner. */
export abstract class PeriodicTask implements BackgroundTask {
  readonly #poller: Poller;

  /** @param everyMs the longest pause after a tick that succeeded. */
  protected constructor(name: string, everyMs: number, logger: Logger) {
    this.#poller = new Poller({ name, idleMs: everyMs, tick: () => this.tick(), logger });
  }

  /** @returns when the next tick follows; by default after the full pause. */
  abstract tick(): Promise<TickResult | undefined>;

  start(): void {
    this.#poller.start();
  }

  /** Ends the pause. */
  trigger(): void {
    this.#poller.trigger();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }
}
