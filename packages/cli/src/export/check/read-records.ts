import { createReadStream } from 'node:fs';
import { isCalendarDate } from '@pinkas/domain';
import { recordTables, type TableField } from './record-tables.js';

/** No record is longer; a file without line ends is not read into memory. */
const lineMax = 4_096;

/** One line of a file, without its end. */
export interface Line {
  readonly bytes: Buffer;
  /** Whether it ends with CR LF. */
  readonly ended: boolean;
}

/** The lines of a file. */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    const bytes: Buffer = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
      yield lineOf(bytes.subarray(start, end));
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
    if (rest.length > lineMax) {
      yield { bytes: rest.subarray(0, lineMax), ended: false };
      return;
    }
  }
  if (rest.length > 0) {
    yield { bytes: rest, ended: false };
  }
}

function lineOf(bytes: Buffer): Line {
  return bytes.at(-1) === 0x0d ? { bytes: bytes.subarray(0, -1), ended: true } : { bytes, ended: false };
}

/** The control characters that CP-862 has where ASCII has them; its upper half has none. */
const asciiControl = /(?![\u0080-\u009f])\p{Cc}/u;
const hebrew = new TextDecoder('iso-8859-8');
/** What a byte of CP-862 above the Hebrew letters is decoded as: any other sign. */
export const otherSign = '\u{fffd}';

/** How a text is written that has no value, and what is reserved (§2.3 g, §2.4 i). */
const withoutValue = /^(?: *|!+)$/;

/** A text of the file in Unicode, without the spaces at its end. `charset` is the code of field 1029. */
export function decode(bytes: Buffer, charset: string): string {
  const text = charset === '2' ? Array.from(bytes, signOf862).join('') : hebrew.decode(bytes);
  return withoutValue.test(text) ? '' : text.replace(/ +$/, '');
}

function signOf862(byte: number): string {
  if (byte < 0x80) {
    return String.fromCharCode(byte);
  }
  return byte <= 0x9a ? String.fromCharCode(0x5d0 + byte - 0x80) : otherSign;
}

/** The fields of a record, as bytes and as text. */
export class ParsedRecord {
  readonly #fields: ReadonlyMap<number, TableField>;

  constructor(
    readonly code: string,
    private readonly bytes: Buffer,
    private readonly charset: string,
  ) {
    this.#fields = fieldsOf(code);
  }

  /** The decoded text of a field, without the spaces at its end. */
  text(number: number): string {
    return decode(this.#part(number), this.charset);
  }

  /** All characters of a field of digits, signs or ASCII. */
  raw(number: number): string {
    return this.#part(number).toString('latin1');
  }

  /** A number, an amount in agorot, or a quantity in ten-thousandths; zero where it is malformed. */
  amount(number: number): bigint {
    const text = this.raw(number);
    return /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : 0n;
  }

  #part(number: number): Buffer {
    const field = this.#fields.get(number);
    return field ? this.bytes.subarray(field.from - 1, field.to) : Buffer.alloc(0);
  }
}

const fieldsByCode = new Map<string, ReadonlyMap<number, TableField>>();

function fieldsOf(code: string): ReadonlyMap<number, TableField> {
  let fields = fieldsByCode.get(code);
  if (!fields) {
    fields = new Map(recordTables.get(code)?.fields.map((field) => [field.number, field]));
    fieldsByCode.set(code, fields);
  }
  return fields;
}

/** What is wrong with a field, and the section whose rule it breaks. */
type Malformed = readonly [reason: string, section: string];

/** What is wrong with the fields of a record of the right length, by their pictures alone. */
export function malformedFields(
  code: string,
  bytes: Buffer,
  charset: string,
): [field: number, reason: string, section: string][] {
  return (recordTables.get(code)?.fields ?? []).flatMap((field): [number, string, string][] => {
    const part = bytes.subarray(field.from - 1, field.to);
    const found = malformed(field, part, charset);
    return found === null ? [] : [[field.number, ...found]];
  });
}

function malformed({ picture, mandatory }: TableField, part: Buffer, charset: string): Malformed | null {
  const text = part.toString('latin1');
  switch (picture) {
    case 'R':
      return withoutValue.test(text) ? null : ['is reserved, and not blank', '2.4 i'];
    case 'X':
      return malformedText(text, part, mandatory, charset);
    case '9':
      return /^\d+$/.test(text) ? null : [`has "${text}" instead of digits`, '2.3 c'];
    case 'D':
      return isDay(text) || (!mandatory && /^0+$/.test(text))
        ? null
        : [`has "${text}", which is no day`, '2.4 b'];
    case 'T':
      return /^([01]\d|2[0-3])[0-5]\d$/.test(text) ? null : [`has "${text}", which is no time`, '2.4 c'];
    default:
      return malformedAmount(text, mandatory);
  }
}

const isDay = (text: string): boolean =>
  /^\d{8}$/.test(text) && isCalendarDate(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`);

/** An amount is a text of the structure, and may be blank where it has no value. */
function malformedAmount(text: string, mandatory: boolean): Malformed | null {
  if (withoutValue.test(text)) {
    return mandatory ? ['is mandatory, and blank', '2.3 g'] : null;
  }
  if (/^-0+$/.test(text)) {
    return ['is a negative zero', '2.4 k'];
  }
  return /^[+-]\d+$/.test(text) ? null : [`has "${text}" instead of a sign and digits`, '2.3 f'];
}

function malformedText(text: string, part: Buffer, mandatory: boolean, charset: string): Malformed | null {
  if (withoutValue.test(text)) {
    return mandatory ? ['is mandatory, and blank', '2.3 g'] : null;
  }
  if (text.startsWith(' ')) {
    return ['does not begin at the left', '2.3 e'];
  }
  const decoded = charset === '2' ? text : decode(part, charset);
  // ISO-8859-8 leaves bytes without a character, and has signs without a picture.
  const foreign = charset === '2' ? asciiControl : /[\p{Cc}\p{Cf}\ufffd\u2017]/u;
  return foreign.test(decoded) ? ['has a byte that is no character of the charset', '2.4 h'] : null;
}
