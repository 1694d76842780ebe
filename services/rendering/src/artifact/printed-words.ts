import { PDF } from '@libpdf/core';

/** What a PDF shows to whoever reads it. */
export interface PrintedWords {
  /** What it calls itself, such as `חשבונית מס 1042`; null where it does not say. */
  readonly title: string | null;
  /**
   * The words of all pages as they were drawn, each from left to right: the letters of a Hebrew word stand in reverse, figures
   * as they are read.
   */
  readonly words: readonly string[];
}

type PageText = ReturnType<PDF['extractText']>[number];
type Char = PageText['lines'][number]['spans'][number]['chars'][number];

/** A gap of so many times the size of the letters parts two words; a space has a quarter, letters of one word next to nothing. */
const gapOfWords = 0.15;

/**
 * Reads a PDF.
 * @throws Error where it cannot be read.
 */
export async function readPrintedWords(pdf: Uint8Array): Promise<PrintedWords> {
  const file = await PDF.load(pdf);
  return { title: file.getTitle() ?? null, words: file.extractText().flatMap(wordsOf) };
}

/**
 * In the order in which they were drawn, not by their place on the page: what is drawn across a cancelled document would stand
 * in the middle of the words that it lies over.
 */
function wordsOf({ lines }: PageText): string[] {
  const chars = lines
    .flatMap(({ spans }) => spans.flatMap((span) => span.chars))
    .sort((one, other) => (one.sequenceIndex ?? 0) - (other.sequenceIndex ?? 0));
  const words: string[] = [];
  let word = '';
  let before: Char | undefined;
  for (const char of chars) {
    const isSpace = char.char.trim() === '';
    if (word !== '' && (isSpace || !before || !isNextTo(before, char))) {
      words.push(word);
      word = '';
    }
    if (!isSpace) word += char.char;
    before = char;
  }
  return word === '' ? words : [...words, word];
}

function isNextTo(before: Char, char: Char): boolean {
  const gap = char.bbox.x - (before.bbox.x + before.bbox.width);
  const tolerance = gapOfWords * Math.max(before.fontSize, char.fontSize);
  return Math.abs(gap) <= tolerance && Math.abs(char.baseline - before.baseline) <= tolerance;
}
