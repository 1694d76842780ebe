/** A text of the page as its author wrote it, with the language that it is in. */
export interface SourceText {
  readonly text: string;
  readonly language: string;
}

const space = ' '.charCodeAt(0);
const ignorable = /\p{Default_Ignorable_Code_Point}/gu;

/** Letters that are drawn as they are written. */
const plain = /^[\x21-\x7e\u05d0-\u05ea]*(?: [\x21-\x7e\u05d0-\u05ea]+)* ?$/;

/** A text with one space for every white space, in characters that compare. */
function comparable(text: string): string {
  return plain.test(text) ? text : text.replace(ignorable, '').normalize('NFKC').replace(/\s+/g, ' ');
}

/** What of a text is drawn: not its spaces, which are lost where a line ends. */
function visible(text: string): string {
  return comparable(text).replaceAll(' ', '');
}

/** The source texts of a page, found again by their letters. */
export class SourceTexts {
  readonly #byLetters = new Map<string, SourceText[]>();

  constructor(texts: readonly SourceText[]) {
    for (const text of texts) {
      const letters = lettersOf(text.text);
      if (letters !== '') {
        const same = this.#byLetters.get(letters);
        if (same) {
          same.push(text);
        } else {
          this.#byLetters.set(letters, [text]);
        }
      }
    }
  }

  /** Takes the next source of what is drawn; undefined where no source has these letters. Of equal letters the order is the page's. */
  take(drawn: string): SourceText | undefined {
    const found = this.#byLetters.get(lettersOf(drawn));
    return found && found.length > 1 ? found.shift() : found?.[0];
  }
}

/** The same for texts of the same letters in another order; practically never for others. Empty for a text that draws nothing. */
function lettersOf(text: string): string {
  const letters = comparable(text);
  let length = 0;
  let sum = 0;
  let squares = 0;
  for (let index = 0; index < letters.length; index += 1) {
    const code = letters.charCodeAt(index);
    if (code !== space) {
      length += 1;
      sum += code;
      squares += code * code;
    }
  }
  return length === 0 ? '' : `${length} ${sum} ${squares}`;
}

/** Backtracking ends after so many comparisons; a text has at most a few hundred runs. */
const comparisonsMax = 10_000;

/** One run of a text, and the line that it is drawn on. */
interface PlacedRun {
  readonly text: string;
  readonly line: string;
}

/**
 * The order in which runs are read: lines in their order, the runs of a line so that they say the source.
 * @returns indexes of the runs; null where no order says the source.
 */
export function readingOrder(runs: readonly PlacedRun[], source: string): number[] | null {
  return (
    new OrderSearch(runs, source, comparable).find() ??
    // A space may be drawn where no one expects it, for example behind a line.
    new OrderSearch(runs, source, visible).find()
  );
}

class OrderSearch {
  readonly #texts: readonly string[];
  readonly #lines: readonly (readonly number[])[];
  readonly #wanted: string;
  readonly #order: number[] = [];
  #comparisons = 0;

  constructor(runs: readonly PlacedRun[], source: string, compared: (text: string) => string) {
    this.#texts = runs.map((run) => compared(run.text));
    this.#wanted = compared(source);
    const lines: number[][] = [];
    for (const [index, { line }] of runs.entries()) {
      const last = lines.at(-1);
      if (last && runs[last[0] ?? 0]?.line === line) {
        last.push(index);
      } else {
        lines.push([index]);
      }
    }
    this.#lines = lines;
  }

  find(): number[] | null {
    return this.#beginLine(0, 0) ? this.#order : null;
  }

  /** Places the lines from one on; the source is said up to a character. Between two lines it may have a space. */
  #beginLine(line: number, at: number): boolean {
    const runs = this.#lines[line];
    if (!runs) {
      return this.#wanted.slice(at).trim() === '';
    }
    return this.#place(line, runs, at) || (this.#wanted[at] === ' ' && this.#place(line, runs, at + 1));
  }

  /** Places the runs that are left of a line. */
  #place(line: number, left: readonly number[], at: number): boolean {
    if (left.length === 0) {
      return this.#beginLine(line + 1, at);
    }
    const refused = new Set<string>();
    for (const index of left) {
      const text = this.#texts[index] ?? '';
      this.#comparisons += 1;
      if (this.#comparisons > comparisonsMax || refused.has(text) || !this.#wanted.startsWith(text, at)) {
        continue;
      }
      this.#order.push(index);
      const others = left.filter((other) => other !== index);
      if (this.#place(line, others, at + text.length)) {
        return true;
      }
      this.#order.pop();
      refused.add(text);
    }
    return false;
  }
}
