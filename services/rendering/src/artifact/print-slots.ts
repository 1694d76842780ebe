/** The printer has more waiting than it may have. */
export class PrintQueueFull extends Error {
  override readonly name = 'PrintQueueFull';
}

interface Waiter {
  take(): void;
}

/**
 * Lets so many prints run at once and so many more wait, in the order of their arrival. Without the bound, a slow printer
 * would gather requests that nobody waits for any more.
 */
export class PrintSlots {
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
   * @throws PrintQueueFull at once, when too many wait already; the signal's reason, when it ends while waiting.
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
      return Promise.reject(new PrintQueueFull(`${this.queueMax} documents wait to be printed already`));
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
