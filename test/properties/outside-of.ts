import type { TSchema } from 'typebox';

/** A schema as plain JSON Schema. */
interface JsonSchema {
  readonly [keyword: string]: unknown;
}

const lengthOf = (count: number, of: string): string =>
  JSON.stringify(Array.from(of.repeat(count)).slice(0, count).join(''));

/** Texts that are nearly of a format. */
const nearly: Readonly<Record<string, readonly string[]>> = {
  'calendar-date': [
    '2026-02-30',
    '2025-02-29',
    '2026-1-1',
    '2026-01-01T00:00:00Z',
    '2026-01-01\n',
    '20260101',
    '',
  ],
  uuid: [
    '00000000-0000-4000-8000-00000000000',
    '00000000-0000-4000-8000-0000000000000',
    '{00000000-0000-4000-8000-000000000000}',
    '00000000000040008000000000000000',
    '00000000-0000-4000-8000-00000000000g',
    '00000000-0000-4000-8000-000000000000\n',
  ],
  email: [
    '',
    '@',
    'customer@',
    '@example.com',
    'customer example@example.com',
    'customer@example.com\n',
    'a@b@example.com',
  ],
};

/** Values just outside of what one place of a request may hold, as JSON. */
export type Outside = ReadonlyMap<string, readonly string[]>;

/**
 * What lies just outside of a schema, by place. A place is a JSON Pointer in which `*` represents every item of an array.
 */
export function outsideOf(schema: TSchema): Outside {
  const found = new Map<string, string[]>();
  collect(schema as unknown as JsonSchema, '', found);
  return found;
}

/** The place of a JSON Pointer. */
export const placeOf = (pointer: string): string => pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*');

function collect(schema: JsonSchema, place: string, found: Map<string, string[]>): void {
  found.set(place, outside(schema));
  if (schema.type === 'array') {
    collect(schema.items as JsonSchema, `${place}/*`, found);
  }
  for (const [name, member] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
    collect(member, `${place}/${name}`, found);
  }
}

function outside(schema: JsonSchema): string[] {
  const { minLength, maxLength, minimum, exclusiveMinimum, maximum, minItems, maxItems } = schema as Record<
    string,
    number | undefined
  >;
  if (Array.isArray(schema.enum)) {
    const [first] = schema.enum as string[];
    return [
      '"other"',
      '""',
      '"toString"',
      '0',
      `["${first}"]`,
      JSON.stringify(first?.toUpperCase()),
      `"${first} "`,
    ];
  }
  switch (schema.type) {
    case 'string':
      return [
        ...['1', 'null', 'true', '["a"]', '{"length":3}'],
        ...(minLength === undefined ? [] : [lengthOf(minLength - 1, 'a')]),
        ...(maxLength === undefined
          ? []
          : ['a', 'א', '😀', 'e\u0301'].map((item) => lengthOf(maxLength + 1, item))),
        ...(typeof schema.pattern === 'string' ? ['""', '"a"', '"12\\n"', lengthOf(40, '1')] : []),
        ...(nearly[schema.format as string] ?? []).map((item) => JSON.stringify(item)),
      ];
    case 'integer':
    case 'number':
      return [
        ...['"1"', 'null', '[1]', 'false', '1e400', '-1e400'],
        ...(minimum === undefined ? [] : [String(minimum - 1), String(minimum - 0.01)]),
        ...(exclusiveMinimum === undefined
          ? []
          : [String(exclusiveMinimum), '-0', String(exclusiveMinimum - 0.01)]),
        ...(maximum === undefined ? [] : [String(maximum + 1), String(maximum + 0.01)]),
        ...(schema.type === 'integer' ? ['1.5'] : []),
      ];
    case 'boolean':
      return ['"true"', '1', '0', 'null', '[]'];
    case 'array':
      return [
        ...['{}', 'null', '"a"', '{"length":1,"0":{}}'],
        ...(minItems ? ['[]'] : []),
        ...(maxItems === undefined
          ? []
          : [
              `[${Array(maxItems + 1)
                .fill('{}')
                .join(',')}]`,
            ]),
      ];
    default:
      return ['null', '[]', '"a"', '1', '{}'];
  }
}
