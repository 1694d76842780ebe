import type { BackgroundTask } from '../process/background-task.js';
import type { Logger } from '../process/logger.js';
import { Pause } from './pause.js';

/** The pause after a tick that failed, which doubles with each failure; shorter where the usual pause is. */
const failedMs = 1_000;
const failedMaxMs = 15_000;

/** When the next tick follows: at once (`more`), after the whole pause (`idle`), or after so many milliseconds of it. */
export type TickResult = 'more' | 'idle' | number;

/**
 * Repeats a tick: at once after a trigger, else after a pause. A trigger may be lost with the process; the pause guarantees that work
 * is found. Ticks never overlap.
 */
export class Poller implements BackgroundTask {
  readonly #pause = new Pause();
  #stopped = false;
  #triggered = false;
  /** Ticks that failed one after the other. */
  #failures = 0;
  #running: Promise<void> | undefined;

  constructor(
    private readonly options: {
      name: string;
      /** The longest pause after a tick that succeeded. */
      idleMs: number;
      /** By default `idle` follows. */
      tick: () => Promise<TickResult | undefined>;
      logger: Logger;
    },
  ) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the pause: there may be work. */
  trigger(): void {
    this.#triggered = true;
    // After a failure it must not turn the pause into a busy loop.
    if (this.#failures === 0) {
      this.#pause.end();
    }
  }

  /** Resolves when the current tick has ended; no other follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#pause.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#triggered = false;
      const pauseMs = await this.#tick();
      const goOn = pauseMs === 0 || (this.#triggered && this.#failures === 0);
      if (!goOn && !this.#stopped) {
        await this.#pause.wait(pauseMs);
      }
    }
  }

  /** @returns how long to pause after it, in milliseconds; longer with each failure. */
  async #tick(): Promise<number> {
    const { name, idleMs, tick, logger } = this.options;
    try {
      const result = await tick();
      this.#failures = 0;
      if (typeof result === 'number') {
        return Math.max(0, Math.min(result, idleMs));
      }
      return result === 'more' ? 0 : idleMs;
    } catch (error) {
      this.#failures += 1;
      logger.warn({ err: error, poller: name, failures: this.#failures }, 'poller tick failed');
      return Math.min(Math.min(idleMs, failedMs) * 2 ** Math.min(this.#failures, 6), failedMaxMs);
    }
  }
}
