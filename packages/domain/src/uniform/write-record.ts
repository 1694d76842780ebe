import { encodeTrimmed, type UniformCharset } from './charset.js';
import type { Field, RecordLayout } from './record-layouts.js';

/**
 * The value of a field: a text; a whole number, or its digits; agorot or ten-thousandths of a quantity; a day as YYYY-MM-DD; a time
 * as hhmm. Null or absent: spaces in a text, zeros elsewhere.
 */
export type FieldValue = string | number | bigint | null;
/** The values of a record by the number of the field. */
export type FieldValues = Readonly<Record<number, FieldValue>>;

/** How a field differs from what it was given. */
export type Deviation =
  /** A text has more characters than the field: its end is missing. */
  | 'shortened'
  /** Characters that the set lacks are written in another form. */
  | 'rewritten'
  /** Characters that the set lacks are question marks. */
  | 'replaced'
  /** Signs that are no digits are missing from a number. */
  | 'digits_only'
  /** A number has more digits than the field: it has the last ones. An amount: it is all nines. */
  | 'does_not_fit'
  /** It is mandatory, and the book has no value for it. */
  | 'missing';
export const deviations = [
  'shortened',
  'rewritten',
  'replaced',
  'digits_only',
  'does_not_fit',
  'missing',
] as const;

const space = 0x20;
const plus = 0x2b;
const zero = 0x30;
const nine = 0x39;

/**
 * Writes a record with its line end (CR LF).
 * @param report called for each field that differs from its value.
 */
export function writeRecord(
  layout: RecordLayout,
  values: FieldValues,
  charset: UniformCharset,
  report: (field: Field, deviation: Deviation) => void,
): Uint8Array {
  const record = blankOf(layout).slice();
  for (const field of layout.fields) {
    const value = values[field.number] ?? null;
    if (value === null) {
      continue;
    }
    const part = partOf(record, field);
    if (field.kind === 'text') {
      writeText(part, field, String(value), charset, report);
    } else if (isSigned(field)) {
      writeSigned(part, field, BigInt(value), report);
    } else {
      writeDigits(part, field, String(value), report);
    }
  }
  return record;
}

const partOf = (record: Uint8Array, { start, length }: Field): Uint8Array =>
  record.subarray(start - 1, start - 1 + length);
const isSigned = ({ kind }: Field): boolean => kind === 'amount' || kind === 'quantity';

const blanks = new Map<RecordLayout, Uint8Array>();

/** The record without any value: most fields of most records have none. */
function blankOf(layout: RecordLayout): Uint8Array {
  let blank = blanks.get(layout);
  if (!blank) {
    blank = new Uint8Array(layout.length + 2).fill(space);
    for (const field of layout.fields.filter(({ kind }) => kind !== 'text')) {
      const part = partOf(blank, field).fill(zero);
      if (isSigned(field)) {
        part[0] = plus;
      }
    }
    blank.set([0x0d, 0x0a], layout.length);
    blanks.set(layout, blank);
  }
  return blank;
}

type Report = Parameters<typeof writeRecord>[3];

function writeText(
  part: Uint8Array,
  field: Field,
  text: string,
  charset: UniformCharset,
  report: Report,
): void {
  const { bytes, rewritten, replaced } = encodeTrimmed(text, charset);
  part.set(bytes.slice(0, field.length));
  if (bytes.length > field.length) {
    report(field, 'shortened');
  }
  if (rewritten) {
    report(field, 'rewritten');
  }
  if (replaced) {
    report(field, 'replaced');
  }
}

function writeSigned(part: Uint8Array, field: Field, value: bigint, report: Report): void {
  const digits = String(value < 0n ? -value : value);
  part[0] = (value < 0n ? '-' : '+').charCodeAt(0);
  if (digits.length > field.length - 1) {
    part.fill(nine, 1);
    report(field, 'does_not_fit');
    return;
  }
  writeRight(part.subarray(1), digits);
}

function writeDigits(part: Uint8Array, field: Field, text: string, report: Report): void {
  // A day is written without its hyphens, which is no deviation.
  const digits = text.replaceAll(/\D/g, '');
  if (field.kind === 'number' && digits.length < text.length) {
    report(field, 'digits_only');
  }
  if (digits.length > field.length) {
    report(field, 'does_not_fit');
  }
  writeRight(part, digits.slice(-field.length));
}

function writeRight(part: Uint8Array, digits: string): void {
  part.fill(zero);
  const first = part.length - digits.length;
  for (let index = 0; index < digits.length; index += 1) {
    part[first + index] = digits.charCodeAt(index);
  }
}
