import { createHash } from 'node:crypto';

/** A record of a chain, or the end of a chain as it was stated. */
export interface ChainRecord {
  readonly n: number;
  readonly hash: string;
}

/** Compares the records of one chain, in its order, with what statements say of it. */
export interface HeadsComparison {
  see(record: ChainRecord): void;
  /** Half a sentence for each head that the chain does not have. */
  messages(): string[];
}

/** What a chain must have, and when that was signed. */
export interface ExpectedHead extends ChainRecord {
  readonly at: string;
}

/** The name of a chain: of a series, or of a trail, whose type is null. */
export const chainName = (service: string, businessId: string, type: string | null): string =>
  [service, businessId, type ?? 'trail'].join(' ');

/** Compares with the heads themselves, and names the first one that is missing. */
export class ExactComparison implements HeadsComparison {
  readonly #missing: Map<string, ExpectedHead>;

  /** @param expected the oldest first; of equal heads the first counts. */
  constructor(expected: readonly ExpectedHead[] = []) {
    this.#missing = new Map(expected.toReversed().map((head) => [keyOf(head), head]));
  }

  see(record: ChainRecord): void {
    this.#missing.delete(keyOf(record));
  }

  /** All later heads follow from the first. */
  messages(): string[] {
    const [first] = [...this.#missing.values()].sort((a, b) => a.n - b.n);
    return first ? [`number ${first.n} is not the one whose hash was signed at ${first.at}`] : [];
  }
}

/**
 * The stated heads of one chain in a few bytes each: how far the numbers are apart, and one hash over all heads. A chain that
 * makes the same hash of its records of those numbers has them all.
 */
export class StatedChain {
  /** The differences of the numbers, seven bits in a byte; the highest bit is set where more follow. */
  #steps = new Uint8Array(8);
  #length = 0;
  #n = 0;
  #hash = '';
  sum = '';
  /** Whether two statements contradict each other. */
  contradictory = false;

  add({ n, hash }: ChainRecord): void {
    if (n === this.#n && hash === this.#hash) {
      return;
    }
    if (n <= this.#n) {
      this.contradictory = true;
      return;
    }
    this.#append(n - this.#n);
    this.sum = nextSum(this.sum, { n, hash });
    this.#n = n;
    this.#hash = hash;
  }

  *numbers(): Generator<number, undefined> {
    let n = 0;
    for (let index = 0; index < this.#length; ) {
      let step = 0;
      for (let factor = 1; ; factor *= 128) {
        const byte = this.#steps[index] ?? 0;
        index += 1;
        step += (byte & 0x7f) * factor;
        if (byte < 128) {
          break;
        }
      }
      n += step;
      yield n;
    }
  }

  #append(step: number): void {
    for (let rest = step; ; rest = Math.floor(rest / 128)) {
      if (this.#length === this.#steps.length) {
        const longer = new Uint8Array(this.#length * 2);
        longer.set(this.#steps);
        this.#steps = longer;
      }
      this.#steps[this.#length] = (rest % 128) + (rest < 128 ? 0 : 128);
      this.#length += 1;
      if (rest < 128) {
        return;
      }
    }
  }
}

/** Compares with a `StatedChain`: shows whether all heads are there, not which one is missing. */
export class SumComparison implements HeadsComparison {
  readonly #numbers: Generator<number, undefined>;
  #next: number | undefined;
  #sum = '';

  constructor(private readonly stated: StatedChain = new StatedChain()) {
    this.#numbers = stated.numbers();
    this.#next = this.#numbers.next().value;
  }

  see({ n, hash }: ChainRecord): void {
    if (n === this.#next) {
      this.#sum = nextSum(this.#sum, { n, hash });
      this.#next = this.#numbers.next().value;
    }
  }

  get isSame(): boolean {
    return this.#next === undefined && this.#sum === this.stated.sum && !this.stated.contradictory;
  }

  messages(): string[] {
    return this.isSame
      ? []
      : ['a record is not the one whose hash was signed: audit verify --business ID names it'];
  }
}

const nextSum = (sum: string, { n, hash }: ChainRecord): string =>
  createHash('sha256').update(`${sum} ${n} ${hash}`).digest('base64url');

const keyOf = ({ n, hash }: ChainRecord): string => `${n} ${hash}`;

/** Makes the comparison of one chain. */
export type CompareChain = (service: string, businessId: string, type: string | null) => HeadsComparison;

/** Whom the chains of a business are compared with. */
export interface Heads {
  /** Has the chains followed, and followed again where a head is missing, so that it can be named. */
  follow<T>(businessId: string, follow: (compare: CompareChain) => Promise<T>): Promise<T>;
}

/** Compares with nothing. */
export const withoutHeads: Heads = {
  follow: (_businessId, follow) => follow(() => new ExactComparison()),
};
