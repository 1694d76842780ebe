import { InvalidPdfError } from './chromium-file.js';
import { type PageFonts, readTextRun, type TextRun } from './text-run.js';

/** One line of operators, or the letters of one text object. */
type ContentPart = string | TextRun;

/** Operators in their order, which belong to one tag or to none. */
export interface Sequence {
  /** The number by which its tag names it; null for what has none. */
  readonly mcid: number | null;
  /** The name of the tag, as the content has it. */
  readonly tag: string;
  readonly parts: readonly ContentPart[];
  /** The texts among the parts. */
  readonly runs: readonly TextRun[];
}

/** A sequence as it is written: with a new number, one for each group of its runs, or as decoration. */
export interface WrittenSequence extends Sequence {
  /** By run, in the order of the parts; null for decoration. */
  readonly mcids: readonly number[] | null;
  /** A text object behind its last run, which belongs to no tag. */
  readonly space?: string | null;
}

const opening = /^\/(\S+) <<\/MCID (\d+) ?>> ?BDC$/;

const textBegin = 'BT\n';
const textEnd = '\nET';

/** Reads the content of a page as Skia writes it: one operator at the end of each line, sequences that are not nested. */
export function readContent(content: string, fonts: PageFonts): Sequence[] {
  const reader = new ContentReader(fonts);
  let at = 0;
  while (at < content.length) {
    if (content.startsWith(textBegin, at)) {
      const from = at + textBegin.length;
      const end = content.indexOf(textEnd, from - 1);
      if (end < 0) {
        throw new InvalidPdfError(unended);
      }
      reader.readText(content.slice(from, end));
      at = end + textEnd.length + 1;
    } else {
      const end = content.indexOf('\n', at);
      const next = end < 0 ? content.length : end;
      reader.read(content.slice(at, next));
      at = next + 1;
    }
  }
  return reader.end();
}

const unended = 'the PDF has a page whose content does not end';

class ContentReader {
  readonly #sequences: Sequence[] = [];
  #parts: ContentPart[] = [];
  #runs: TextRun[] = [];
  #mcid: number | null = null;
  #tag = '';

  constructor(private readonly fonts: PageFonts) {}

  read(line: string): void {
    if (line.endsWith('BDC') || line.endsWith('BMC')) {
      this.#begin(line);
    } else if (line === 'EMC') {
      this.#endSequence();
    } else if (line !== '') {
      this.#parts.push(line);
    }
  }

  readText(operators: string): void {
    const run = readTextRun(operators, this.fonts);
    this.#parts.push(run);
    this.#runs.push(run);
  }

  end(): Sequence[] {
    if (this.#mcid !== null) {
      throw new InvalidPdfError(unended);
    }
    this.#endSequence();
    return this.#sequences;
  }

  #begin(line: string): void {
    const [, tag, number] = opening.exec(line) ?? [];
    if (tag === undefined || this.#mcid !== null) {
      throw new InvalidPdfError(`the PDF has marked content of another form: ${line.slice(0, 40)}`);
    }
    this.#endSequence();
    this.#mcid = Number(number);
    this.#tag = tag;
  }

  #endSequence(): void {
    if (this.#parts.length > 0 || this.#mcid !== null) {
      this.#sequences.push({ mcid: this.#mcid, tag: this.#tag, parts: this.#parts, runs: this.#runs });
    }
    this.#parts = [];
    this.#runs = [];
    this.#mcid = null;
    this.#tag = '';
  }
}

/** Operators that draw, that only end a path, and that are part of one (ISO 32000-1, tables 59 to 61 and 87). */
const drawing = /(?:^|\s)(?:f\*?|F|S|s|B\*?|b\*?|Do|sh)$/;
const ending = /(?:^|\s)n$/;
const pathPart = /\s(?:re|m|l|c|v|y|W\*?)$|^(?:h|W\*?)$/;

/** Writes the content of a page; whatever belongs to no tag becomes an artifact. */
export function writeContent(sequences: readonly WrittenSequence[]): string {
  const lines: string[] = [];
  for (const sequence of sequences) {
    if (sequence.mcids === null) {
      writeArtifact(sequence.parts, lines);
    } else {
      writeMarked(sequence, sequence.mcids, lines);
    }
  }
  return lines.join('\n');
}

function draws(part: ContentPart): boolean {
  return typeof part !== 'string' || drawing.test(part) || pathPart.test(part);
}

function writeMarked(
  { tag, parts, space }: WrittenSequence,
  mcids: readonly number[],
  lines: string[],
): void {
  const spaceAt = space ? parts.findLastIndex(draws) : -1;
  let open: number | null = null;
  let closing = 'EMC';
  let run = 0;
  const enter = (mcid: number, reversed: boolean) => {
    if (open === mcid) {
      return;
    }
    if (open !== null) {
      lines.push(closing);
    }
    lines.push(`${reversed ? '/ReversedChars BMC\n' : ''}/${tag} <</MCID ${mcid}>>BDC`);
    closing = reversed ? 'EMC\nEMC' : 'EMC';
    open = mcid;
  };
  for (const [index, part] of parts.entries()) {
    if (typeof part !== 'string') {
      enter(mcids[run] ?? 0, part.reversed);
      writeText(part, lines);
      run += 1;
      if (index === spaceAt) {
        lines.push(closing, `/Artifact BMC\n${space}\nEMC`);
        open = null;
      }
    } else {
      if (open === null && draws(part)) {
        enter(mcids[0] ?? 0, false);
      }
      lines.push(part);
    }
  }
  if (open !== null) {
    lines.push(closing);
  }
}

function writeArtifact(parts: readonly ContentPart[], lines: string[]): void {
  let open = false;
  let path: string[] = [];
  const set = (wanted: boolean) => {
    if (open !== wanted) {
      lines.push(wanted ? '/Artifact BMC' : 'EMC');
      open = wanted;
    }
  };
  for (const part of parts) {
    if (typeof part !== 'string') {
      set(true);
      writeText(part, lines);
    } else if (pathPart.test(part)) {
      path.push(part);
    } else if (drawing.test(part)) {
      set(true);
      lines.push(...path, part);
      path = [];
    } else {
      // The state of graphics is saved and restored outside of artifacts, and a path for clipping draws nothing.
      if (ending.test(part) || /^[qQ]$/.test(part)) {
        set(false);
      }
      lines.push(...path, part);
      path = [];
    }
  }
  lines.push(...path);
  set(false);
}

function writeText({ operators }: TextRun, lines: string[]): void {
  lines.push(`BT\n${operators}\nET`);
}
