/** The character sets of the uniform structure, each of one byte for a character. Hebrew is in logical order. */
export const uniformCharsets = ['iso-8859-8', 'cp862'] as const;
export type UniformCharset = (typeof uniformCharsets)[number];

/** The result of encoding a text. */
export interface EncodedText {
  readonly bytes: readonly number[];
  /** Whether characters were written in another form: `₪` as `ש"ח`, `é` as `e`, vowel points left out. */
  readonly rewritten: boolean;
  /** Whether a character became `?`, since the set has nothing for it. */
  readonly replaced: boolean;
}

const alefToTav = Array.from({ length: 27 }, (_, index) => String.fromCharCode(0x5d0 + index)).join('');
const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index)).join('');

/** The characters of each set by runs: the byte of the first, and the characters from there on. */
const runs: Readonly<Record<UniformCharset, readonly (readonly [byte: number, characters: string])[]>> = {
  'iso-8859-8': [
    [0x20, ascii],
    [0xa2, '¢£¤¥¦§¨©×«¬'],
    [0xae, '®¯°±²³´µ¶·¸¹÷»¼½¾'],
    [0xe0, alefToTav],
  ],
  cp862: [
    [0x20, ascii],
    [0x80, alefToTav],
    [
      0x9b,
      '¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■',
    ],
  ],
};

const byteOf: Readonly<Record<UniformCharset, ReadonlyMap<string, number>>> = {
  'iso-8859-8': bytesOf('iso-8859-8'),
  cp862: bytesOf('cp862'),
};

function bytesOf(charset: UniformCharset): Map<string, number> {
  return new Map(
    runs[charset].flatMap(([first, characters]) =>
      [...characters].map((character, index): [string, number] => [character, first + index]),
    ),
  );
}

/** The bytes of the characters up to the Hebrew letters, which most texts have alone; 0 where the set has none. */
const lowBytes: Readonly<Record<UniformCharset, Uint8Array>> = {
  'iso-8859-8': lowBytesOf('iso-8859-8'),
  cp862: lowBytesOf('cp862'),
};

function lowBytesOf(charset: UniformCharset): Uint8Array {
  const table = new Uint8Array(0x600);
  for (const [character, byte] of byteOf[charset]) {
    const code = character.charCodeAt(0);
    if (code < table.length) {
      table[code] = byte;
    }
  }
  return table;
}

/** Signs that both sets lack, as they are typed on a Hebrew keyboard. */
const rewrites: Readonly<Record<string, string>> = {
  '₪': 'ש"ח',
  '€': 'EUR',
  '״': '"',
  '׳': "'",
  '־': '-',
  '“': '"',
  '”': '"',
  '„': '"',
  '‘': "'",
  '’': "'",
  '‚': "'",
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '−': '-',
  '•': '*',
  '×': 'x',
  '׀': '|',
  '׃': ':',
};

const blank = /\p{White_Space}|\p{Cc}/u;
/** Vowel points, other marks, and characters without a picture, such as those that set a direction. */
const invisible = /\p{Mark}|\p{Default_Ignorable_Code_Point}/u;
const questionMark = 0x3f;
const space = 0x20;

/** Encodes a text; what the set does not have is written in another form, or as `?`. */
export function encodeText(text: string, charset: UniformCharset): EncodedText {
  const plain = encodePlain(text, lowBytes[charset]);
  if (plain) {
    return { bytes: plain, rewritten: false, replaced: false };
  }
  const map = byteOf[charset];
  const bytes: number[] = [];
  let rewritten = false;
  let replaced = false;
  for (const character of text.normalize('NFC')) {
    const byte = map.get(character);
    if (byte !== undefined) {
      bytes.push(byte);
      continue;
    }
    const other = otherForm(character, map);
    rewritten ||= other !== null;
    replaced ||= other === null;
    bytes.push(...(other ?? [questionMark]));
  }
  return { bytes, rewritten, replaced };
}

/** Null where a character is not in the table. */
function encodePlain(text: string, table: Uint8Array): number[] | null {
  const bytes = new Array<number>(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const byte = table[text.charCodeAt(index)] ?? 0;
    if (byte === 0) {
      return null;
    }
    bytes[index] = byte;
  }
  return bytes;
}

/**
 * Encodes a text without the spaces at its ends, also those beside characters that are left out. A text of which nothing is left is
 * a question mark, since an empty field states that there was none.
 */
export function encodeTrimmed(text: string, charset: UniformCharset): EncodedText {
  const trimmed = text.trim();
  if (trimmed === '') {
    return { bytes: [], rewritten: false, replaced: false };
  }
  const { bytes, ...encoded } = encodeText(trimmed, charset);
  const first = bytes.findIndex((byte) => byte !== space);
  if (first === -1) {
    return { bytes: [questionMark], rewritten: false, replaced: true };
  }
  return { bytes: bytes.slice(first, bytes.findLastIndex((byte) => byte !== space) + 1), ...encoded };
}

/** Another form of a character that a set lacks; null where there is none. */
function otherForm(character: string, map: ReadonlyMap<string, number>): number[] | null {
  if (blank.test(character)) {
    return [space];
  }
  const plain =
    rewrites[character] ?? [...character.normalize('NFKD')].filter((part) => !invisible.test(part));
  const bytes = [...plain].map((part) => map.get(part));
  return bytes.every((byte) => byte !== undefined) ? bytes : null;
}
