import { QueueFullError } from './queue-full-error.js';
import { withTimeout } from './with-timeout.js';

/** Limits the work that is in flight in a process. Work beyond the limit is rejected, never queued. */
export class ConcurrencyLimiter {
  #inFlight = 0;
  #onIdle = () => {};

  /** @param onRejected called for each rejection. */
  constructor(
    private readonly inFlightMax: number,
    private readonly onRejected: () => void = () => {},
  ) {}

  get inFlight(): number {
    return this.#inFlight;
  }

  /** @throws QueueFullError at once, at the limit; what `work` throws. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inFlight >= this.inFlightMax) {
      this.onRejected();
      throw new QueueFullError(`${this.inFlightMax} requests are in flight`);
    }
    this.#inFlight += 1;
    try {
      return await work();
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) {
        this.#onIdle();
      }
    }
  }

  /** Resolves when nothing is in flight, or after the timeout. */
  async idle(timeoutMs: number): Promise<void> {
    // A request that has just arrived needs some microtasks until it counts.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#inFlight === 0) {
      return;
    }
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    await withTimeout(idle, timeoutMs, () => {});
  }
}
