import { findingsMax } from './findings.js';
import { NumberSet } from './number-set.js';

/** The numbers of the documents of one type. */
export class TypeNumbers {
  readonly #set = new NumberSet();
  /** The records of the documents that do not have the number after the one before them. */
  readonly #jumps = new Map<number, number>();
  #last: number | null = null;

  /** @returns false where another document has the number. */
  add(number: number, record: number): boolean {
    if (this.#last !== null && number !== this.#last + 1 && this.#jumps.size < findingsMax) {
      this.#jumps.set(number, record);
    }
    this.#last = number;
    return this.#set.add(number);
  }

  /** The numbers that are missing, with the record of the document after them, where it is known. */
  *gaps(): Generator<[first: number, last: number, record: number | null]> {
    for (const [first, last] of this.#set.gaps()) {
      yield [first, last, this.#jumps.get(last + 1) ?? null];
    }
  }
}
