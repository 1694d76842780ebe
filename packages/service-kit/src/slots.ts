/** Too many wait already. */
export class SlotsFull extends Error {
  override readonly name = 'SlotsFull';
}

interface Waiter {
  take(): void;
}

/**
 * Lets so much work run at once and so much more wait, in the order of its arrival. Without the bound, something slow (a
 * printer, a database) would gather work that nobody waits for any more.
 */
export class Slots {
  #free: number;
  readonly #waiting: Waiter[] = [];

  constructor(
    concurrency: number,
    private readonly queueMax: number,
  ) {
    this.#free = concurrency;
  }

  /**
   * Runs `work` when there is room for it.
   * @throws SlotsFull at once, when too many wait already; the signal's reason, when it ends while waiting.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next.take();
      else this.#free += 1;
    }
  }

  #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    if (this.#waiting.length >= this.queueMax) {
      return Promise.reject(new SlotsFull(`${this.queueMax} wait already`));
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        take: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiter);
    });
  }
}
