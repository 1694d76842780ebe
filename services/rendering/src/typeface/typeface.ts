import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface FontFile {
  /** As `@font-face` names it and as it is sent with a render request. */
  readonly fileName: string;
  readonly weight: 400 | 700;
  readonly unicodeRange: string;
  readonly bytes: Buffer;
}

/** The letters of documents: Heebo, in the two weights and the scripts that documents use. */
export interface Typeface {
  readonly files: readonly FontFile[];
  /** `@font-face` rules that fetch the files by name, from beside the HTML. */
  readonly facesByName: string;
  /** `@font-face` rules that carry the files in them. */
  readonly facesInline: string;
}

const subsets = ['hebrew', 'latin', 'latin-ext'] as const;
const weights = [400, 700] as const;

function faces(files: readonly FontFile[], addressOf: (file: FontFile) => string): string {
  return files
    .map(
      (file) =>
        `@font-face{font-family:Heebo;font-weight:${file.weight};src:url(${addressOf(file)})format("woff2");unicode-range:${file.unicodeRange}}`,
    )
    .join('');
}

/** Injection token of the typeface. */
export const typefaceToken = Symbol('pinkas:typeface');

/** Reads the fonts from the package that ships them. Called once, at start. */
export function loadTypeface(): Typeface {
  const read = (path: string) =>
    readFileSync(fileURLToPath(import.meta.resolve(`@fontsource/heebo/${path}`)));
  const ranges = JSON.parse(read('unicode.json').toString('utf8')) as Record<string, string>;
  const files = weights.flatMap((weight) =>
    subsets.map((subset) => ({
      fileName: `heebo-${subset}-${weight}.woff2`,
      weight,
      unicodeRange: ranges[subset] ?? '',
      bytes: read(`files/heebo-${subset}-${weight}-normal.woff2`),
    })),
  );
  return {
    files,
    facesByName: faces(files, (file) => file.fileName),
    facesInline: faces(files, (file) => `data:font/woff2;base64,${file.bytes.toString('base64')}`),
  };
}
