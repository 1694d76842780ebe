import { Injectable } from '@nestjs/common';

/**
 * Tells requests of this process that a reservation has ended. What ends in another replica is not heard here, so whoever
 * waits must also look from time to time.
 */
@Injectable()
export class ReservationEnds {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** A reservation of the business has ended: released, or its document was recorded. */
  announce(businessId: string): void {
    for (const wake of this.#waiting.get(businessId) ?? []) wake();
  }

  /** Waits until one of the business ends, and for so many milliseconds at the most. */
  async next(businessId: string, timeoutMs: number): Promise<void> {
    const waiting = this.#waiting.get(businessId) ?? new Set();
    this.#waiting.set(businessId, waiting);
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(businessId) === waiting) this.#waiting.delete(businessId);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      waiting.add(wake);
    });
  }
}
