import fc from 'fast-check';
import type { Static, TSchema } from 'typebox';

/**
 * Arbitraries for the places of a schema where JSON Schema cannot say what is valid. A place is a JSON Pointer in which `*`
 * represents every item of an array: `/items/*` + `/quantity`.
 */
export type Overrides = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** A schema as plain JSON Schema. */
interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** What this file understands; a new keyword must be taught here before it counts as tested. */
const knownKeywords = new Set([
  'type',
  'enum',
  'const',
  'anyOf',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'multipleOf',
  'uniqueItems',
  // These only explain.
  'title',
  'description',
  'examples',
  'default',
  'publicFormat',
  'publicMinimum',
  'publicDependentSchemas',
]);

/** Longer than any text that a schema here bounds by a pattern or a format alone. */
const textLengthMax = 300;
const arrayLengthMax = 20;

/**
 * One character, as Unicode counts them, of any kind that a request may have. NUL is left out: no database keeps it.
 */
export const character: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
  { weight: 3, arbitrary: fc.integer({ min: 0x5d0, max: 0x5ea }).map((code) => String.fromCodePoint(code)) },
  {
    weight: 1,
    // Directions, joiners, marks that combine, spaces that are no blank, and letters that change length with their case.
    arbitrary: fc.constantFrom(
      ...Array.from('\u202e\u2066\u2069\u200f\u200d\u0301\u05b8\u00a0\u2028\ufeff\t\n\r"\'<>&\\/%_ßİ😀𝟙'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((item) => item !== '\0'),
  },
);

/** A text of so many characters; the ends of the range come up often. */
export function text(minLength: number, maxLength: number): fc.Arbitrary<string> {
  const ofLength = (min: number, max: number) =>
    fc.string({ unit: character, minLength: min, maxLength: max, size: 'max' });
  return fc.oneof(
    { weight: 8, arbitrary: ofLength(minLength, Math.min(maxLength, Math.max(minLength, 12))) },
    { weight: 1, arbitrary: ofLength(minLength, minLength) },
    { weight: 1, arbitrary: ofLength(maxLength, maxLength) },
  );
}

/** A day as YYYY-MM-DD. */
const calendarDate: fc.Arbitrary<string> = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2100-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'calendar-date': calendarDate,
  uuid: fc.oneof(
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase()),
  ),
  // An address of no one, whatever is before the @.
  email: fc.emailAddress().map((address) => address.replace(/@.*$/, '@example.com')),
};

/**
 * Draws values that a schema accepts.
 * @throws Error for a keyword that it does not know, and for an override of a place that the schema does not have.
 */
export function arbitraryOf<T extends TSchema>(
  schema: T,
  overrides: Overrides = {},
): fc.Arbitrary<Static<T>> {
  const unused = new Set(Object.keys(overrides));
  const arbitrary = build(schema as unknown as JsonSchema, '', overrides, unused);
  if (unused.size > 0) {
    throw new Error(`The schema has no ${[...unused].join(', ')}`);
  }
  return arbitrary as fc.Arbitrary<Static<T>>;
}

function build(
  schema: JsonSchema,
  place: string,
  overrides: Overrides,
  unused: Set<string>,
): fc.Arbitrary<unknown> {
  const override = overrides[place];
  if (override) {
    unused.delete(place);
    return override;
  }
  for (const keyword of Object.keys(schema)) {
    if (!knownKeywords.has(keyword)) {
      throw new Error(`${place || '/'} has the keyword ${keyword}, which is not known here`);
    }
  }
  if (Array.isArray(schema.enum)) {
    return fc.constantFrom(...schema.enum);
  }
  if ('const' in schema) {
    return fc.constant(schema.const);
  }
  switch (schema.type) {
    case 'object':
      return objectOf(schema, (member, name) => build(member, `${place}/${name}`, overrides, unused));
    case 'array':
      return arrayOf(schema, build(schema.items as JsonSchema, `${place}/*`, overrides, unused));
    case 'string':
      return stringOf(schema, place);
    case 'integer':
      return integerOf(schema);
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      if (!Array.isArray(schema.anyOf)) {
        throw new Error(`${place || '/'} has no type`);
      }
      return fc.oneof(...schema.anyOf.map((item: JsonSchema) => build(item, place, overrides, unused)));
  }
}

/** Where `anyOf` is beside `properties`, each of its branches names members that are required together. */
function objectOf(
  schema: JsonSchema,
  member: (schema: JsonSchema, name: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const members = Object.fromEntries(properties.map(([name, one]) => [name, member(one, name)]));
  const required = (schema.required ?? []) as string[];
  const branches = (schema.anyOf ?? [{ required: [] }]) as { required: string[] }[];
  return fc.oneof(
    ...branches.map((branch) =>
      fc.record(members, {
        requiredKeys: [...new Set([...required, ...branch.required])],
        noNullPrototype: true,
      }),
    ),
  );
}

function arrayOf(schema: JsonSchema, item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> {
  const minLength = (schema.minItems ?? 0) as number;
  const maxLength = (schema.maxItems ?? Math.max(minLength, arrayLengthMax)) as number;
  if (schema.uniqueItems === true) {
    return fc.uniqueArray(item, { minLength, maxLength, selector: (entry) => JSON.stringify(entry) });
  }
  return fc.oneof(
    {
      weight: 20,
      arbitrary: fc.array(item, { minLength, maxLength: Math.min(maxLength, Math.max(minLength, 4)) }),
    },
    { weight: 1, arbitrary: fc.array(item, { minLength: maxLength, maxLength }) },
  );
}

function stringOf(schema: JsonSchema, place: string): fc.Arbitrary<string> {
  const minLength = (schema.minLength ?? 0) as number;
  const maxLength = (schema.maxLength ?? Math.max(minLength, textLengthMax)) as number;
  const fits = (item: string) => [...item].length >= minLength && [...item].length <= maxLength;
  if (typeof schema.pattern === 'string') {
    return fc.stringMatching(new RegExp(schema.pattern)).filter(fits);
  }
  if (typeof schema.format === 'string') {
    const format = formats[schema.format];
    if (!format) {
      throw new Error(`${place || '/'} has the format ${schema.format}, which is not known here`);
    }
    return format.filter(fits);
  }
  return text(minLength, maxLength);
}

function integerOf(schema: JsonSchema): fc.Arbitrary<number> {
  const min = (schema.minimum ?? Number.MIN_SAFE_INTEGER) as number;
  const max = (schema.maximum ?? Number.MAX_SAFE_INTEGER) as number;
  return fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min, max }) },
    { weight: 1, arbitrary: fc.constantFrom(min, max) },
  );
}

function numberOf(schema: JsonSchema): fc.Arbitrary<number> {
  const { minimum, exclusiveMinimum, maximum, multipleOf } = schema as Record<string, number | undefined>;
  if (multipleOf !== undefined) {
    const steps = {
      min: Math.ceil((minimum ?? 0) / multipleOf),
      max: Math.floor((maximum ?? 1e6) / multipleOf),
    };
    // Without the noise of binary fractions, as a caller would write it.
    return fc.integer(steps).map((step) => Number((step * multipleOf).toPrecision(12)));
  }
  return fc.double({
    min: exclusiveMinimum ?? minimum ?? -Number.MAX_VALUE,
    minExcluded: exclusiveMinimum !== undefined,
    max: maximum ?? Number.MAX_VALUE,
    noNaN: true,
  });
}
