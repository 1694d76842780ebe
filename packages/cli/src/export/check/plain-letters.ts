import { otherSign } from './read-records.js';

const plainLetters = /^[\u0020-\u007e\u05d0-\u05ea]$/;

/**
 * Whether a field has the text of the book. Letters that every charset has must be the same, as far as the field goes; what else
 * the text has may be written in another form, or as a question mark.
 */
export function saysSame(field: string, text: string, width: number): boolean {
  const letters = [...text.normalize('NFC').trim()];
  const strange = letters.findIndex((letter) => !plainLetters.test(letter));
  if (strange === -1) {
    return field === letters.slice(0, width).join('').trimEnd();
  }
  const found = [...field];
  if (
    letters.slice(0, Math.min(strange, width)).join('').trimEnd() !==
    found.slice(0, strange).join('').trimEnd()
  ) {
    return false;
  }
  let position = strange;
  for (const letter of letters.slice(strange).filter((each) => plainLetters.test(each) && each !== ' ')) {
    const next = found.indexOf(letter, position);
    if (next === -1) {
      // The field ended before this letter.
      return found.length + 4 >= width || found.slice(position).includes(otherSign);
    }
    position = next + 1;
  }
  return true;
}
