import {
  asLine,
  lengthOf,
  pastedEmail,
  pastedPhone,
  pastedTaxId,
  readTypedNumber,
  type TypedNumberKind,
  trimmed,
  withPlainBreaks,
} from '@pinkas/domain';
import type { FieldErrors } from './field-errors.js';
import type { Language, Words } from './language.js';

const readers = {
  line: asLine,
  text: (typed: string) => trimmed(withPlainBreaks(typed)),
  email: pastedEmail,
  phone: pastedPhone,
  tax_id: pastedTaxId,
} as const;

/** What a person types into a field: one line, several lines, or what is often pasted with more around it. */
export type FieldKind = keyof typeof readers;

/** What was typed or pasted into a field of a form; empty where the form does not have it. Nothing is shortened. */
export function readField(form: URLSearchParams, name: string, kind: FieldKind = 'line'): string {
  return readers[kind](form.get(name) ?? '');
}

const texts = {
  one: {
    he: (reading: string) => `יש לכתוב ${reading}: נקודה לפני השבר, פסיק רק בין אלפים.`,
    en: (reading: string) => `Write ${reading}: a point before decimals, commas between thousands only.`,
  },
  two: {
    he: (first: string, second: string) => `אפשר להבין זאת בשתי דרכים: יש לכתוב ${first} או ${second}.`,
    en: (first: string, second: string) => `This can be read in two ways: write ${first} or ${second}.`,
  },
  tooLong: {
    he: (max: number, length: number) => `${format(max)} תווים לכל היותר; כאן יש ${format(length)}.`,
    en: (max: number, length: number) => `At most ${format(max)} characters; this has ${format(length)}.`,
  },
} as const;

const format = (count: number): string => new Intl.NumberFormat('en').format(count);

/** The amount that a person typed: `1,234.50`, `₪ 1,234.50`; null where it is none, or has more decimals than an amount. */
export function readMoney(typed: string): number | null {
  return readNumber(typed, 'money');
}

/** The number that a person typed: `1.2345`, `10%` where it is a percentage; null where it is none. */
export function readNumber(typed: string, kind: TypedNumberKind): number | null {
  return readTypedNumber(typed, kind).value;
}

/**
 * What is wrong with a text that is no number of a kind: how to write what it may mean.
 * @param otherwise what to say where nothing is known of that.
 */
export function numberError(
  typed: string,
  otherwise: Words,
  language: Language,
  kind: TypedNumberKind = 'money',
): string {
  const read = readTypedNumber(typed, kind);
  const [one, other] = read.value === null ? read.readings : [];
  if (one === undefined) {
    return otherwise[language];
  }
  return other === undefined ? texts.one[language](one) : texts.two[language](one, other);
}

/** The errors of texts that are longer than they may be, by the names of their fields. @param limits in code points. */
export function lengthErrors(
  values: Readonly<Record<string, string | undefined>>,
  limits: Readonly<Record<string, number>>,
  language: Language,
): FieldErrors {
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, max]) => {
      const length = lengthOf(values[name] ?? '');
      return length > max ? [[name, texts.tooLong[language](max, length)]] : [];
    }),
  );
}
