import type { BackgroundTask } from '../process/background-task.js';
import type { Logger } from '../process/logger.js';
import { Pause } from './pause.js';

/** The pause after a tick that failed, which doubles with each failure; shorter where the usual pause is. */
const failedMs = 1_000;
const failedMaxMs = 15_000;

/**
 * When the next tick follows: after the whole pause (`idle`), after so many milliseconds of it, or at once where there is more to do. Who
 * goes on at once states how much it has `done`: after nothing the next tick follows as after a failure, or it would be a busy loop.
 */
export type TickResult = { readonly done: number } | 'idle' | number;

/**
 * A background task that repeats a tick: at once after a trigger, else after a pause. A trigger may be lost with the process; the pause
 * guarantees that work is found. Ticks never overlap; one that fails is repeated sooner.
 */
export abstract class PeriodicTask implements BackgroundTask {
  readonly #name: string;
  readonly #everyMs: number;
  readonly #logger: Logger;
  readonly #pause = new Pause();
  #stopped = false;
  #triggered = false;
  /** Ticks that failed one after the other. */
  #failures = 0;
  #running: Promise<void> | undefined;
  #current: Promise<number> | undefined;

  /** @param everyMs the longest pause after a tick that succeeded. */
  constructor(name: string, everyMs: number, logger: Logger) {
    this.#name = name;
    this.#everyMs = everyMs;
    this.#logger = logger;
  }

  /** @returns when the next tick follows; by default after the full pause. */
  abstract tick(): Promise<TickResult | undefined>;

  /** One more tick, after the one that runs. */
  async tickNow(): Promise<TickResult | undefined> {
    await this.#current;
    return this.tick();
  }

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
      this.#current = this.#tick();
      const pauseMs = await this.#current;
      const goOn = pauseMs === 0 || (this.#triggered && this.#failures === 0);
      if (!goOn && !this.#stopped) {
        await this.#pause.wait(pauseMs);
      }
    }
  }

  /** @returns how long to pause after it, in milliseconds; longer with each failure. */
  async #tick(): Promise<number> {
    try {
      const result = await this.tick();
      if (typeof result === 'object' && result.done === 0) {
        throw new Error('there is more to do, and nothing of it was done');
      }
      this.#failures = 0;
      if (typeof result === 'number') {
        return Math.max(0, Math.min(result, this.#everyMs));
      }
      return typeof result === 'object' ? 0 : this.#everyMs;
    } catch (error) {
      this.#failures += 1;
      this.#logger.warn({ err: error, poller: this.#name, failures: this.#failures }, 'poller tick failed');
      return Math.min(Math.min(this.#everyMs, failedMs) * 2 ** Math.min(this.#failures, 6), failedMaxMs);
    }
  }
}

/** A tick as a periodic task of its own, for a part that is more than its tick. */
export function periodic(
  name: string,
  everyMs: number,
  logger: Logger,
  tick: () => Promise<TickResult | undefined>,
): PeriodicTask {
  class Periodic extends PeriodicTask {
    override tick(): Promise<TickResult | undefined> {
      return tick();
    }
  }
  return new Periodic(name, everyMs, logger);
}
