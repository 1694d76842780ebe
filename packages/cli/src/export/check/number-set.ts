const chunkNumbers = 65_536;

/** A set of whole numbers in a bit each, for numbers that are close to each other. */
export class NumberSet {
  readonly #chunks = new Map<number, Uint8Array>();

  /** @returns false where the set had the number already. */
  add(number: number): boolean {
    const index = Math.floor(number / chunkNumbers);
    const chunk = this.#chunks.get(index) ?? new Uint8Array(chunkNumbers / 8);
    this.#chunks.set(index, chunk);
    const bit = number % chunkNumbers;
    const mask = 1 << (bit % 8);
    const byte = chunk[bit >> 3] ?? 0;
    chunk[bit >> 3] = byte | mask;
    return (byte & mask) === 0;
  }
}
