import type { Logger } from './logger.js';

/** What one turn of a loop found: `more` asks for the next turn at once. */
export type TurnResult = 'more' | 'idle';

/**
 * Does a piece of work again and again: at once when nudged, else after a pause. A nudge may be lost with the process;
 * the pause is what guarantees that work is found. One turn runs at a time.
 */
export class Loop {
  #stopped = false;
  #nudged = false;
  #wake: (() => void) | undefined;
  #running: Promise<void> | undefined;

  constructor(
    private readonly options: {
      name: string;
      /** The pause between turns that found nothing. */
      idleMs: number;
      turn: () => Promise<TurnResult>;
      logger: Logger;
    },
  ) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Says that there may be work now. */
  nudge(): void {
    this.#nudged = true;
    this.#wake?.();
  }

  /** Ends after the turn in hand. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopped) {
      this.#nudged = false;
      let pauseMs = this.options.idleMs;
      try {
        if ((await this.options.turn()) === 'more') pauseMs = 0;
        failures = 0;
      } catch (error) {
        failures += 1;
        pauseMs = Math.min(this.options.idleMs * 2 ** Math.min(failures, 6), 15_000);
        this.options.logger.warn(
          { err: error, loop: this.options.name, failures },
          'a turn failed; trying again',
        );
      }
      // After a failure a nudge must not turn the pause into a busy loop.
      if (pauseMs > 0 && (failures > 0 || !this.#nudged)) await this.#pause(pauseMs, failures === 0);
    }
  }

  #pause(ms: number, wakeable: boolean): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wake = () => {
        if (wakeable || this.#stopped) done();
      };
    });
  }
}
