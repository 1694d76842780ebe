/** The characters that end a line, wherever a text was typed (Unicode, 5.8). */
const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
const whiteSpace = /[\p{White_Space}\ufeff]/u;
/** What has no shape of its own, within a text or alone: marks of direction, joiners, controls, tags, noncharacters. */
const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]|(?!\p{White_Space})\p{Cc}/gu;
/** A letter, digit or sign that is drawn. A blank of Braille, a musical blank and the place of an object are signs by their category alone. */
const visible = /(?![\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}])[\p{L}\p{N}\p{P}\p{S}\p{Co}]/u;

/** A text as it is stored: as it was sent, with `\n` for every line break. */
export function withPlainBreaks(text: string): string {
  return text.replaceAll(lineBreak, '\n');
}

/** The same value with every text in it as it is stored, at any depth. */
export function storedTexts<T>(value: T): T {
  if (typeof value === 'string') {
    return withPlainBreaks(value) as T;
  }
  if (Array.isArray(value)) {
    return value.map(storedTexts) as T;
  }
  return typeof value === 'object' && value !== null
    ? (Object.fromEntries(Object.entries(value).map(([name, member]) => [name, storedTexts(member)])) as T)
    : value;
}

/** A text without white space around it, by Unicode's property. Takes time in proportion to the text, whatever is in it. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && whiteSpace.test(text.charAt(start))) {
    start += 1;
  }
  while (end > start && whiteSpace.test(text.charAt(end - 1))) {
    end -= 1;
  }
  return text.slice(start, end);
}

/** A name, a title or a description, as a field of one line holds it: a line break counts as a blank. */
export function asLine(text: string): string {
  return trimmed(text.replaceAll(lineBreak, ' '));
}

/** Whether no character of a text can be seen. */
export function isBlank(text: string): boolean {
  return !visible.test(text);
}

/** A text without characters that have no shape: what was copied from contacts or from a page is full of them. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(invisible, '');
}

/** The length of a text, in code points. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) {
    length += 1;
  }
  return length;
}

/** The length of what can be seen of a text, and the white space between it; 0 where that is nothing. */
export function visibleLength(text: string): number {
  return isBlank(text) ? 0 : lengthOf(trimmed(withoutInvisible(text)));
}

/** With fewer digits a phone number is no address to send to. */
const phoneDigitsMin = 7;

/** Whether a phone number has the digits of one, whatever is between them. */
export function hasPhoneDigits(text: string): boolean {
  return text.replaceAll(/\D/g, '').length >= phoneDigitsMin;
}

/**
 * What names are compared by: Unicode NFC, trimmed, without invisible characters, white space folded to one space, letter case folded.
 * Upper case first, then lower case, comes close to Unicode's case folding: 'Straße' and 'STRASSE' are one name, and so is a
 * sigma at the end of a word.
 */
export function nameKey(name: string): string {
  const words = trimmed(withoutInvisible(name.normalize('NFC'))).replaceAll(/\p{White_Space}+/gu, ' ');
  return words.toUpperCase().toLowerCase().normalize('NFC');
}

/** Points of vowels and accents in Hebrew. */
const points = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g;
/** Signs of abbreviation, apostrophes and quotation marks, as keyboards and phones have them. */
const signs = /[\u05f3\u05f4"'\u2018-\u201f\u2032\u2033`\u00b4\u02bc\uff02\uff07]/g;
const hyphens = /[-\u05be\u2010-\u2014\u2212\ufe63\uff0d]/g;

/**
 * What a name is searched by, however it was typed: folded as by `nameKey`, without points, signs of abbreviation, apostrophes and
 * quotation marks, and with hyphens left out (`joined`) or as blanks (`spaced`). A name contains another if it does in either form.
 * `name_joined` and `name_spaced` of the customer service are the same in SQL.
 */
export function namesAsTyped(name: string): { joined: string; spaced: string } {
  const bare = nameKey(name).replaceAll(points, '').replaceAll(signs, '');
  const squeezed = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/^ | $/g, '');
  return { joined: squeezed(bare.replaceAll(hyphens, '')), spaced: squeezed(bare.replaceAll(hyphens, ' ')) };
}
