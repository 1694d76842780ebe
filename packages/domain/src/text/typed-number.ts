import { decimalPlaces, plainDecimal } from '../money/decimal.js';
import { trimmed, withoutInvisible } from './text.js';

/** A number as a person typed or pasted it. */
type TypedNumber =
  | { readonly value: number }
  /** No number; where it can be guessed, what it may have meant, each as it is to be written. */
  | { readonly value: null; readonly readings: readonly string[] };

/** The shekel, as a sign and as people write it. */
const currency = String.raw`(?:₪|ש\.?["”״'׳’]{1,2}ח|NIS|ILS)`;
const digitsAndMarks = String.raw`(?<digits>[\d.,'’ ]*?)`;
const inShekels = new RegExp(
  `^(?:${currency} ?)?(?<sign>[-−]?) ?(?:${currency} ?)?${digitsAndMarks} ?(?:${currency})?$`,
  'iu',
);
const kinds = {
  /** An amount, which has at most two decimals. */
  money: { pattern: inShekels, decimalsMax: 2 },
  number: { pattern: inShekels, decimalsMax: Number.POSITIVE_INFINITY },
  percent: {
    pattern: new RegExp(`^(?<sign>[-−]?) ?${digitsAndMarks} ?%?$`, 'u'),
    decimalsMax: Number.POSITIVE_INFINITY,
  },
} as const;

/** The purpose of a field. */
export type TypedNumberKind = keyof typeof kinds;

/** Digits alone, or in groups of three behind one kind of mark, of which the first does not begin with 0; then decimals. */
const grammar =
  /^(?:\d+|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?: \d{3})+|[1-9]\d{0,2}(?:['’]\d{3})+)?(?:\.\d+)?$/;
/** A number has at most so many characters; the patterns take time by the square of them. */
const typedMax = 60;
/** An amount with three decimals of which the last has no meaning of its own: as likely thousands, as other countries write them. */
const thousandsBehindPoint = /^[1-9]\d{0,2}\.\d\d0$/;
const wholeDigitsMax = 13;

/**
 * Reads a number: digits, a point before the decimals, groups of three digits behind commas, spaces or apostrophes, its unit. Marks
 * that cannot be seen are ignored. A comma as the decimal mark, and whatever else may be read in two ways, is no number.
 */
export function readTypedNumber(typed: string, kind: TypedNumberKind = 'number'): TypedNumber {
  const { pattern, decimalsMax } = kinds[kind];
  const shown = trimmed(withoutInvisible(typed))
    .replaceAll(/[\uff0b-\uff19]/g, (character) => character.normalize('NFKC'))
    .replaceAll(/\s+/gu, ' ');
  const parts = shown.length > typedMax ? undefined : pattern.exec(shown)?.groups;
  const digits = (parts?.digits ?? '').trim();
  const sign = parts?.sign ? '-' : '';
  if (!/\d/.test(digits)) {
    return { value: null, readings: [] };
  }
  const isMeant = (plain: string) => decimalPlaces(Number(plain)) <= decimalsMax;
  const isClear = grammar.test(digits) && !(kind === 'money' && thousandsBehindPoint.test(digits));
  const plain = isClear ? exactly(digits.replaceAll(/[,'’ ]/g, '')) : null;
  if (plain !== null) {
    return isMeant(plain) ? { value: Number(`${sign}${plain}`) } : { value: null, readings: [] };
  }
  const readings = readingsOf(digits).filter(isMeant);
  return { value: null, readings: readings.map((reading) => `${sign}${reading}`) };
}

/** Digits with a point, without needless zeros; null where a number of the machine does not have them all. */
function exactly(digits: string): string | null {
  const [, whole = '', fraction = ''] = /^0*(\d*?)(?:\.(\d*?)0*)?$/.exec(digits) ?? [];
  const plain = `${whole || '0'}${fraction && `.${fraction}`}`;
  return whole.length <= wholeDigitsMax && plainDecimal(Number(plain)) === plain ? plain : null;
}

/** What digits with misplaced marks may mean: with the last mark, or the only one of its kind, as the point; without any. */
function readingsOf(digits: string): string[] {
  const marks = [...digits.matchAll(/[.,]/g)].map(({ 0: mark, index }) => ({ mark, index }));
  const points = marks.filter(
    ({ mark, index }) =>
      index === marks.at(-1)?.index || marks.filter((other) => other.mark === mark).length === 1,
  );
  const only = (text: string) => text.replaceAll(/\D/g, '');
  const last = marks.at(-1);
  const mayBeGroups =
    new Set(marks.map(({ mark }) => mark)).size < 2 && digits.length - (last?.index ?? -1) > 3;
  const readings = [
    ...points.map(({ index }) => exactly(`${only(digits.slice(0, index))}.${only(digits.slice(index))}`)),
    ...(mayBeGroups ? [exactly(only(digits))] : []),
  ];
  return [...new Set(readings.filter((reading) => reading !== null))];
}
