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

  /** The ranges of numbers that are missing between the least and the greatest one. */
  *gaps(): Generator<[first: number, last: number]> {
    let next: number | null = null;
    for (const [index, chunk] of [...this.#chunks].sort(([a], [b]) => a - b)) {
      for (let bit = 0; bit < chunkNumbers; bit += 1) {
        if (((chunk[bit >> 3] ?? 0) & (1 << (bit % 8))) === 0) {
          continue;
        }
        const number = index * chunkNumbers + bit;
        if (next !== null && number > next) {
          yield [next, number - 1];
        }
        next = number + 1;
      }
    }
  }
}
