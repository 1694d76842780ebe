/** One font file as the build leaves it. */
export interface FontEntry {
  readonly fileName: string;
  readonly family: string;
  /** As `@font-face` takes it: one weight, or the range that one file covers. */
  readonly weight: string;
  /** As `@font-face` takes it: `U+590-5FF, U+20AA`. */
  readonly unicodeRange: string;
}

/**
 * Where the build leaves the fonts, with `fonts.json`, the list of them. The path is the same seen from the sources and from
 * what was built of them.
 */
export const fontFolder = new URL('../../dist/typeface/fonts/', import.meta.url);
