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
  return letters.length > 0 && letters.every((one) => rightToLeftLetter.test(one)) ? 'rtl' : 'ltr';
}

/** A number with its sign, and the unit that belongs to it: -5%, +3.5, -10°C. After a letter or digit it is a hyphen. */
const signedNumber = /(?<![\p{L}\p{N}])[-+−±]\d(?:[\d.,]*\d)?(?:\s?[%‰]|°[A-Za-z]?)?/u;
/** Nine digits or more with spaces, hyphens and brackets between them, from + or 0. */
const phoneNumber = /(?<![\p{L}\p{N}])(?:\+\d|\(?0)(?:[-\s().]{0,2}\d){8,}/u;
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
