import { Semaphore } from './semaphore.js';

/** A mutex for each key, with a bounded FIFO queue: work on one key runs one after the other, work on others beside it. */
export class KeyedQueue {
  readonly #byKey = new Map<string, Semaphore>();

  /** @param lengthMax how much work on one key may run and wait together. */
  constructor(private readonly lengthMax: number) {}

  /**
   * Runs `work` when all earlier work on the key has ended. The signal ends the wait only.
   * @throws QueueFullError at once, when the key's queue is full; the signal's reason, when it aborts during the wait.
   */
  async run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const semaphore = this.#byKey.get(key) ?? new Semaphore(1, this.lengthMax - 1);
    this.#byKey.set(key, semaphore);
    try {
      return await semaphore.run(signal, work);
    } finally {
      if (semaphore.isIdle && this.#byKey.get(key) === semaphore) {
        this.#byKey.delete(key);
      }
    }
  }
}
