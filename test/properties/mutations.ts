import { CreateDocument } from '@pinkas/contracts';
import fc from 'fast-check';
import { type JsonText, jsonTextOf, type Place, placesIn, plain } from './json-text.js';
import { type Outside, outsideOf, placeOf } from './outside-of.js';

/** One change of a request's text. */
export interface Change {
  /** Which place is changed, counted round. */
  where: number;
  /** What the change does, for the report. */
  does: string;
  change: (place: Place, whole: JsonText) => void;
}

const longText = 'א'.repeat(10_000);

/** Names that JavaScript objects have anyway, names that look like others, and names that are hard to point at. */
const strangeNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'number',
  'vat_rate',
  'status',
  'Type',
  'type ',
  'tyре',
  '',
  ' ',
  '~1/0',
  'a\u0000b',
  '\ud800',
  '\u202ename',
  longText,
];

/** Values in their JSON form, also such as no JavaScript value holds, and such as are no JSON. */
const strangeValues = [
  'null',
  'true',
  '"text"',
  '""',
  '" "',
  '"\\t\\u00a0\\u2003"',
  '0',
  '1',
  '-0',
  '-1',
  '-0.01',
  '0.001',
  '1.005',
  '0.00001',
  '1e-400',
  '5e-324',
  '1e400',
  '-1e400',
  '1e308',
  '1E+2',
  '100.000',
  '9007199254740993',
  '123456789012345678901234567890',
  '100000000.01',
  '1000000.0001',
  '01',
  '1.',
  '.5',
  '+1',
  'NaN',
  'Infinity',
  '0x10',
  'undefined',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"a\\udc00"',
  '"\\ud83d\\ude00"',
  '"\\u202eabc\\u2066"',
  '"a\u0001b"',
  '"a\nb"',
  "'a'",
  `"${longText}"`,
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"__proto__":{"type":"quote"}}',
  '"2026-02-30"',
  '"2024-02-29"',
  '"26-1-1"',
  '"2026-01-01T00:00:00Z"',
  '"00000000-0000-0000-0000-000000000000"',
  '"not a uuid"',
  '"12345"',
  '"1234567890"',
  '"١٢٣٤٥٦٧٨٩"',
  '"quote"',
  '"credit_card"',
];

const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}${close.repeat(depth)}`;
const deepValues = [
  nested(29, '[', ']'),
  nested(40, '[', ']'),
  nested(60_000, '[', ']'),
  `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
];

const value = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...strangeValues) },
  { weight: 1, arbitrary: fc.constantFrom(...deepValues) },
  { weight: 3, arbitrary: fc.json({ maxDepth: 2 }) },
);
const name = fc.oneof(fc.constantFrom(...strangeNames), fc.string({ unit: 'binary', maxLength: 20 }));

/** What the schema of a create request just refuses, and what it cannot say: decimals, and texts of white space. */
const outside: Outside = outsideOf(CreateDocument);
const alsoOutside: Readonly<Record<string, readonly string[]>> = {
  '/customer/name': ['"  "', '"\\t\\u00a0\\u2003"'],
  '/items/*/description': ['" "', '"\\n"'],
  '/items/*/quantity': ['0.00001', '1.23456', '1e-5'],
  '/items/*/unit_price': ['0.001', '1.005', '99999999.999'],
  '/payments/*/amount': ['0.001', '1.005', '1e-3'],
  '/expected_total': ['0.001', '118.005'],
};
const outsideAt = (place: string): readonly string[] => [
  ...(outside.get(place) ?? []),
  ...(alsoOutside[place] ?? []),
];

const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text);

const kinds: fc.Arbitrary<Omit<Change, 'where'>> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ does: 'drop', change: (place: Place) => place.remove() }) },
  {
    weight: 2,
    arbitrary: name.map((to) => ({
      does: `rename to ${JSON.stringify(short(to))}`,
      change: (place: Place) => place.rename?.(to),
    })),
  },
  {
    weight: 6,
    arbitrary: value.map((item) => ({
      does: `replace by ${short(item)}`,
      change: (place: Place) => place.replace(plain(item)),
    })),
  },
  {
    weight: 10,
    arbitrary: fc.nat(1_000).map((which) => ({
      does: `leave its bounds in way ${which}`,
      change: (place: Place) => {
        const values = outsideAt(placeOf(place.at));
        const value = values[which % Math.max(1, values.length)];
        if (value !== undefined) {
          place.replace(plain(value));
        }
      },
    })),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(name, value).map(([one, its]) => ({
      does: `add ${JSON.stringify(short(one))}: ${short(its)}`,
      change: (place: Place) => place.addBeside(one, plain(its)),
    })),
  },
  {
    weight: 1,
    arbitrary: fc.option(value).map((its) => ({
      does: `repeat with ${its === null ? 'the same value' : short(its)}`,
      change: (place: Place) => {
        const name = place.at.slice(place.at.lastIndexOf('/') + 1);
        place.addBeside(
          name.replaceAll('~1', '/').replaceAll('~0', '~'),
          its === null ? place.value : plain(its),
        );
      },
    })),
  },
);

/** One to three changes. */
export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc
    .record({ where: fc.nat(10_000), kind: kinds })
    .map(({ where, kind }) => ({ where, ...kind, [fc.toStringMethod]: () => `${kind.does} (${where})` })),
  { minLength: 1, maxLength: 3 },
);

/** The text of a body after changes. */
export function changed(body: object, all: readonly Change[]): JsonText {
  const whole = jsonTextOf(body);
  for (const { where, change } of all) {
    const places = placesIn(whole);
    const place = places[where % Math.max(1, places.length)];
    if (place) {
      change(place, whole);
    }
  }
  return whole;
}
