import { PDF } from '@libpdf/core';

/** The text of a PDF. */
export interface PdfText {
  /** Its title, such as `חשבונית מס 1042`; null where it has none. */
  readonly title: string | null;
  /**
   * The words of all pages as they are drawn, each from left to right: the letters of a Hebrew word are in reverse, figures as they
   * are read.
   */
  readonly words: readonly string[];
}

type PageText = ReturnType<PDF['extractText']>[number];
type Char = PageText['lines'][number]['spans'][number]['chars'][number];

/** A gap of more than this share of the font size separates two words. A space has a quarter, letters of one word almost none. */
const wordGap = 0.15;

/**
 * Reads a PDF.
 * @throws Error where it cannot be read.
 */
export async function extractText(pdf: Uint8Array): Promise<PdfText> {
  const file = await PDF.load(pdf);
  return { title: file.getTitle() ?? null, words: file.extractText().flatMap(wordsOf) };
}

/** In drawing order and not by position: the word across a cancelled document would otherwise split the words below it. */
function wordsOf({ lines }: PageText): string[] {
  const chars = lines
    .flatMap(({ spans }) => spans.flatMap((span) => span.chars))
    .sort((first, second) => (first.sequenceIndex ?? 0) - (second.sequenceIndex ?? 0));
  const words: string[] = [];
  let word = '';
  let before: Char | undefined;
  for (const char of chars) {
    const isSpace = char.char.trim() === '';
    if (word !== '' && (isSpace || !before || !isNextTo(before, char))) {
      words.push(word);
      word = '';
    }
    if (!isSpace) {
      word += char.char;
    }
    before = char;
  }
  return word === '' ? words : [...words, word];
}

function isNextTo(before: Char, char: Char): boolean {
  const gap = char.bbox.x - (before.bbox.x + before.bbox.width);
  const tolerance = wordGap * Math.max(before.fontSize, char.fontSize);
  return Math.abs(gap) <= tolerance && Math.abs(char.baseline - before.baseline) <= tolerance;
}
