/** The findings in the files. */
export interface Finding {
  readonly file: string;
  /** The line in the file, from 1; null: the file as a whole. */
  readonly record: number | null;
  /** The authority's number of the field; null: the record as a whole. */
  readonly field: number | null;
  readonly reason: string;
  /** The section of the authority's instructions 1.31 that says so, such as `5.5 note 4`; null: it is no rule of theirs. */
  readonly section: string | null;
}

/** Reports a field, or with null its record, and the section whose rule it breaks. */
export type Report = (field: number | null, reason: string, section: string | null) => void;

/** Further findings are counted and not stored. */
export const findingsMax = 1_000;

/** The findings of a check. */
export class Findings {
  readonly #found: Finding[] = [];
  #count = 0;

  add(
    file: string,
    record: number | null,
    field: number | null,
    reason: string,
    section: string | null = null,
  ): void {
    this.#count += 1;
    if (this.#found.length < findingsMax) {
      this.#found.push({ file, record, field, reason, section });
    }
  }

  /** The first `findingsMax`. */
  get found(): readonly Finding[] {
    return this.#found;
  }

  /** All of them. */
  get count(): number {
    return this.#count;
  }
}
