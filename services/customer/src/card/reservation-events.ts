import { Injectable } from '@nestjs/common';

/**
 * Wakes requests of this process when a reservation ends. What ends in another replica is not noticed here, so a waiting
 * request also checks from time to time.
 */
@Injectable()
export class ReservationEvents {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** A reservation of the business has ended. */
  notify(businessId: string): void {
    for (const wake of this.#waiting.get(businessId) ?? []) {
      wake();
    }
  }

  /** Waits until a reservation of the business ends, at most `timeoutMs`. */
  async wait(businessId: string, timeoutMs: number): Promise<void> {
    const waiting = this.#waiting.get(businessId) ?? new Set();
    this.#waiting.set(businessId, waiting);
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(businessId) === waiting) {
          this.#waiting.delete(businessId);
        }
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      waiting.add(wake);
    });
  }
}
