/** What a signature claims to cover: two parts of the file, each by its place and length. */
export type ByteRange = readonly [from: number, length: number, next: number, rest: number];

/** A file has few signatures; of one that claims more, the others are not looked at. */
const rangesMax = 16;

/**
 * The ranges in a file that begin with it, the first ones. The text of a document may have such words as well.
 * @param text the file as latin1. The pattern takes no place twice: its time grows with the length of the text alone.
 */
export function signatureRanges(text: string): ByteRange[] {
  const found: ByteRange[] = [];
  const pattern =
    /\/ByteRange\s{0,64}\[\s{0,64}(\d{1,10})\s{1,64}(\d{1,10})\s{1,64}(\d{1,10})\s{1,64}(\d{1,10})\s{0,64}\]/g;
  for (const match of text.matchAll(pattern)) {
    const [from = 0, length = 0, next = 0, rest = 0] = match.slice(1).map(Number);
    if (from === 0 && length > 0 && next > length) {
      found.push([from, length, next, rest]);
    }
    if (found.length === rangesMax) {
      break;
    }
  }
  return found;
}
