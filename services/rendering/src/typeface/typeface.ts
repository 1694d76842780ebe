import { readFileSync } from 'node:fs';
import { type FontEntry, fontFolder } from './font-files.js';
import { charactersOf, inRange, readUnicodeRange } from './unicode-range.js';

/** One font file with its bytes. */
export interface FontFile extends FontEntry {
  readonly bytes: Buffer;
}

/** The letters of documents. */
export interface Typeface {
  /**
   * The files that a text needs: Heebo always, and of the others those that have a character which Heebo has not. Which
   * file serves a character is a matter of the text alone, so the same text always takes the same files.
   */
  filesFor(text: string): FontFile[];
}

/** The families in the order in which a character is looked up; the last is the reader's own font. */
export const fontFamilies = "Heebo,Rubik,'Noto Emoji',sans-serif";

/** Our own letters, and those that our own words are written in. */
const always = 'Heebo';
/** What joins and varies characters has no picture of its own, and needs no font. */
const joiners = /\p{Default_Ignorable_Code_Point}/u;

/** Injection token of the typeface. */
export const typefaceToken = Symbol('pinkas:typeface');

/**
 * Reads the fonts that the build left. Called once, at start.
 * @throws Error when there are none: the service was not built.
 */
export function loadTypeface(): Typeface {
  const entries = JSON.parse(readFileSync(new URL('fonts.json', fontFolder), 'utf8')) as FontEntry[];
  const files: FontFile[] = entries.map((entry) => ({
    ...entry,
    bytes: readFileSync(new URL(entry.fileName, fontFolder)),
  }));
  const ranges = new Map(
    files.map(({ fileName, unicodeRange }) => [fileName, readUnicodeRange(unicodeRange)]),
  );
  const has = ({ fileName }: FontFile, point: number) => inRange(ranges.get(fileName) ?? [], point);
  const own = files.filter(({ family }) => family === always);
  const ownCharacters = new Set(own.flatMap(({ unicodeRange }) => [...charactersOf(unicodeRange)]));
  const others = files.filter(({ family }) => family !== always);
  return {
    filesFor(text) {
      const needed = new Set<FontFile>();
      for (const character of new Set(text)) {
        const point = character.codePointAt(0) ?? 0;
        if (point < 0x80 || ownCharacters.has(character) || joiners.test(character)) {
          continue;
        }
        for (const file of others) {
          if (has(file, point)) {
            needed.add(file);
          }
        }
      }
      return [...own, ...others.filter((file) => needed.has(file))];
    },
  };
}

const faces = (files: readonly FontFile[], addressOf: (file: FontFile) => string): string =>
  files
    .map(
      (file) =>
        `@font-face{font-family:'${file.family}';font-weight:${file.weight};src:url(${addressOf(file)})format("woff2");unicode-range:${file.unicodeRange}}`,
    )
    .join('');

/** `@font-face` rules that fetch the files by name, from next to the HTML. */
export function facesByName(files: readonly FontFile[]): string {
  return faces(files, (file) => file.fileName);
}

/** `@font-face` rules that carry the files in them. */
export function facesInline(files: readonly FontFile[]): string {
  return faces(files, (file) => `data:font/woff2;base64,${file.bytes.toString('base64')}`);
}
