/** The first and the last code point of one part of a range. */
type Part = readonly [first: number, last: number];

/** Reads what `unicode-range` of an `@font-face` says: `U+590-5FF, U+20AA`. */
export function readUnicodeRange(range: string): Part[] {
  return range.split(',').map((part) => {
    const [first = '', last = first] = part.trim().replace(/^U\+/i, '').split('-');
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
  });
}

/** Whether a code point lies in a range. */
export function inRange(parts: readonly Part[], point: number): boolean {
  return parts.some(([first, last]) => first <= point && point <= last);
}

/** Every character of a range, in its order. */
export function charactersOf(range: string): string {
  let characters = '';
  for (const [first, last] of readUnicodeRange(range)) {
    for (let point = first; point <= last; point += 1) {
      characters += String.fromCodePoint(point);
    }
  }
  return characters;
}
