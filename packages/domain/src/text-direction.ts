/** The direction in which a text is laid out, as in the `dir` attribute. */
export type TextDirection = 'rtl' | 'ltr';

const rightToLeftLetter =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const letter = /\p{L}/gu;

/**
 * The direction of a field of a document. In a Hebrew document any letter of a right-to-left script makes the field right-to-left,
 * whatever its first letter is: 'IBM ישראל בע"מ' begins at the right. In an English document any other letter makes it
 * left-to-right. A field without letters is left-to-right.
 */
export function fieldDirection(text: string, language: 'he' | 'en'): TextDirection {
  if (language === 'he') {
    return rightToLeftLetter.test(text) ? 'rtl' : 'ltr';
  }
  const letters = text.match(letter) ?? [];
  return letters.length > 0 && letters.every((character) => rightToLeftLetter.test(character))
    ? 'rtl'
    : 'ltr';
}

/** Neither inside of a word or number nor after a vowel point. */
const atStart = String.raw`(?<![\p{L}\p{N}\p{M}])`;
/** A number with its sign, its currency, and the unit that belongs to it: -5%, +3.5, -₪150, -10°C. After a letter or digit it is a hyphen. */
const signedNumber = new RegExp(
  `${atStart}[-+−±]\\p{Sc}?(?:\\d(?:[\\d.,]*\\d)?(?:-\\d+)*|\\.\\d+)(?:\\s?[%‰]|°[A-Za-z]?|\\s?\\p{Sc})?`,
  'u',
);
/** A digit, after at most two spaces or hyphens that are inside of a number: they are not followed by one digit alone. */
const phoneDigit = String.raw`(?:(?:[-\s]{1,2}(?=\d\d|\d-))?\d)`;
/**
 * A phone number: from + the country and 7 to 11 digits, from 0 nine or ten digits in all, as they are written in Israel; then no
 * further digit, so that of a longer number nothing is taken.
 */
const phoneNumber = new RegExp(
  `${atStart}(?:\\+\\d{1,3}(?:[\\s-]?\\(0\\))?${phoneDigit}{7,11}|\\(0\\d{1,2}\\)${phoneDigit}{7}|0${phoneDigit}{8,9})(?!\\d)`,
  'u',
);
const leftToRightRun = new RegExp(`(${phoneNumber.source}|${signedNumber.source})`, 'u');

/** A part of a text; `isolated` where it reads from left to right whatever is around it. */
export interface TextRun {
  readonly text: string;
  readonly isolated: boolean;
}

/**
 * Separates the signed numbers and phone numbers of a text. In a right-to-left field their signs, and groups of digits between spaces,
 * would change places (Unicode UAX #9, rules W4 and N2).
 */
export function directionRuns(text: string): TextRun[] {
  return text
    .split(leftToRightRun)
    .map((part, index) => ({ text: part, isolated: index % 2 === 1 }))
    .filter((run) => run.text !== '');
}

/** Unicode's isolates (UAX #9, 2.4), for text without markup. */
const isolates = { rtl: '\u2067', ltr: '\u2066', end: '\u2069' } as const;

/**
 * A field inside of a sentence of a document's language, as plain text: a field of the other direction, or with letters of both, keeps
 * its own order, as do its signed numbers and phone numbers.
 */
export function isolatedText(text: string, language: 'he' | 'en'): string {
  const direction = fieldDirection(text, language);
  const inRuns =
    direction === 'ltr'
      ? text
      : directionRuns(text)
          .map((run) => (run.isolated ? `${isolates.ltr}${run.text}${isolates.end}` : run.text))
          .join('');
  const letters = text.match(letter) ?? [];
  const hasOtherLetters = letters.some(
    (character) => rightToLeftLetter.test(character) !== (direction === 'rtl'),
  );
  const differs = direction !== (language === 'he' ? 'rtl' : 'ltr');
  return differs || hasOtherLetters ? `${isolates[direction]}${inRuns}${isolates.end}` : inRuns;
}
