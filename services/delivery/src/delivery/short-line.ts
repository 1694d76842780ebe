/** What is kept of a provider's words, in characters. */
const wordsMax = 300;

/** A provider's words on one short line: they are kept and shown, and may be anything. */
export function shortLine(words: string): string {
  return words
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, wordsMax);
}
