/** Beyond so many spenders in one minute the rest share one count: memory stays bounded under a flood of addresses. */
const spendersMax = 20_000;
const restId = 'the rest';

/** Counts requests in the memory of this process, for one minute at a time. */
export class LocalCounter {
  #minute = 0;
  #counts = new Map<string, number>();

  /**
   * Counts one request.
   * @param counted what Redis counted for it, where Redis answered. Redis that comes back empty does not make anybody's
   * minute start again, and Redis that goes away does not either.
   * @returns the count with this request.
   */
  increment(id: string, minute: number, counted: number | null): number {
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
    }
    const known = this.#counts.has(id) || this.#counts.size < spendersMax;
    if (!known && counted !== null) return counted;
    const slot = known ? id : restId;
    const count = Math.max((this.#counts.get(slot) ?? 0) + 1, counted ?? 0);
    this.#counts.set(slot, count);
    return count;
  }
}
