import { Injectable } from '@nestjs/common';
import { timeLimitsMs } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { TaxIdUndecidedError } from './reservation.repository.js';

/** How long a request waits at most for a document in flight with the same tax id on another card. */
const undecidedWaitMaxMs = timeLimitsMs.undecidedCustomer;
/** How often the wait checks for what ended in another replica, or has expired. */
const checkAgainMs = 100;

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

  /**
   * Repeats work until it is decided whether a document in flight writes a tax id on another card.
   * @throws ApiError `engine_error` where it is not decided in time.
   */
  async whenDecided<T>(businessId: string, waitMs: number, work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + Math.min(undecidedWaitMaxMs, waitMs);
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof TaxIdUndecidedError)) {
          throw error;
        }
        const leftMs = deadline - performance.now();
        if (leftMs <= 0) {
          throw new ApiError('engine_error', { cause: error });
        }
        // Everything is rolled back by now: the wait holds no connection and reserves nothing.
        await this.wait(businessId, Math.min(leftMs, checkAgainMs));
      }
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
