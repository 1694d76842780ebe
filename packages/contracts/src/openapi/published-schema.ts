import type { TSchema } from 'typebox';

/** A JSON Schema as the OpenAPI document has it. */
export type PublishedSchema = { readonly [keyword: string]: unknown };

/** Who writes the value. A caller's unknown fields are refused; in an answer a caller ignores them. */
export type Direction = 'request' | 'response';

type Schema = Readonly<Record<string, unknown>>;

/** The name in JSON Schema of a keyword that validation does not know. */
const publicNames: Readonly<Record<string, string>> = {
  publicFormat: 'format',
  publicMinimum: 'minimum',
  publicDependentSchemas: 'dependentSchemas',
};

/** No text of a caller has NUL. `\x00` is read alike by the regular expressions of all languages. */
const withoutNul = '^[^\\x00]*$';

/** What holds of every value of a type, and no schema here states. */
function impliedBy(published: PublishedSchema, direction: Direction): PublishedSchema {
  if (published.type === 'number') {
    // Without it some generators take a 32-bit float, which does not hold an amount.
    return { format: 'double' };
  }
  const isFreeText = ['pattern', 'format', 'enum', 'const'].every((keyword) => !(keyword in published));
  return direction === 'request' && published.type === 'string' && isFreeText ? { pattern: withoutNul } : {};
}

/** Annotations do not distinguish schemas. */
const annotations: readonly string[] = ['description', 'examples', 'default'];

/** A schema without its annotations. */
export function unannotated(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(unannotated);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const keywords = Object.entries(value).filter(([keyword]) => !annotations.includes(keyword));
  return Object.fromEntries(
    keywords.map(([keyword, one]) => [keyword, keyword === 'properties' ? fieldsOf(one) : unannotated(one)]),
  );
}

/** The names below `properties` are those of fields: one may be called `description`. */
const fieldsOf = (properties: object) =>
  Object.fromEntries(Object.entries(properties).map(([field, schema]) => [field, unannotated(schema)]));

const fingerprint = (schema: object): string => JSON.stringify(unannotated(schema));

/**
 * Turns the schemas that validate into the schemas that are published: those with a name become references, and what JSON
 * Schema or its readers do not know is said in their words.
 */
export class SchemaPublisher {
  readonly #names = new Map<string, string>();
  readonly #named: readonly (readonly [string, TSchema, Direction])[];

  /** @param named every schema with a name of its own, and who writes its values. */
  constructor(named: Readonly<Record<Direction, Readonly<Record<string, TSchema>>>>) {
    this.#named = (['request', 'response'] as const).flatMap((direction) =>
      Object.entries(named[direction]).map(([name, schema]) => [name, schema, direction] as const),
    );
    for (const [name, schema] of this.#named) {
      this.#names.set(fingerprint(schema), name);
    }
  }

  /** The named schemas, for `components.schemas`. */
  components(): Record<string, PublishedSchema> {
    return Object.fromEntries(
      this.#named.map(([name, schema, direction]) => [name, this.#inline(schema as Schema, direction)]),
    );
  }

  /** A schema, or the reference to it where it has a name. */
  publish(schema: TSchema, direction: Direction): PublishedSchema {
    return this.#publish(schema as Schema, direction);
  }

  #publish(schema: Schema, direction: Direction): PublishedSchema {
    const name = this.#names.get(fingerprint(schema));
    if (name === undefined) {
      return this.#inline(schema, direction);
    }
    const own = this.#named.find(([other]) => other === name)?.[1] as Schema | undefined;
    // Annotations that only this place has are beside the reference.
    const said = annotations.filter(
      (keyword) =>
        schema[keyword] !== undefined && JSON.stringify(schema[keyword]) !== JSON.stringify(own?.[keyword]),
    );
    return {
      $ref: `#/components/schemas/${name}`,
      ...Object.fromEntries(said.map((keyword) => [keyword, schema[keyword]])),
    };
  }

  #inline(schema: Schema, direction: Direction): PublishedSchema {
    const nullable = this.#nullable(schema, direction);
    if (nullable) {
      return nullable;
    }
    const published: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      switch (keyword) {
        case 'format':
        case 'minLength':
        case 'maxLength':
          // The length of what has a public format is part of it.
          if (schema.publicFormat === undefined) {
            published[keyword] = value;
          }
          break;
        case 'enum':
          published.type = 'string';
          published.enum = value;
          break;
        case 'properties':
          published.properties = Object.fromEntries(
            Object.entries(value as Record<string, Schema>).map(([member, one]) => [
              member,
              this.#publish(one, direction),
            ]),
          );
          break;
        case 'exclusiveMinimum':
          // A generator of Go takes nothing of a document that has it as a number: `publicMinimum` stands for it.
          break;
        case 'anyOf':
          // A condition on the members of one object names no schema, and generators lose the members over it: prose has it.
          if (schema.properties === undefined) {
            published.anyOf = (value as readonly Schema[]).map((item) => this.#publish(item, direction));
          }
          break;
        case 'items':
          published.items = this.#publish(value as Schema, direction);
          break;
        case 'additionalProperties':
          if (direction === 'request') {
            published.additionalProperties = value;
          }
          break;
        default:
          published[publicNames[keyword] ?? keyword] = value;
      }
    }
    return { ...published, ...impliedBy(published, direction) };
  }

  /** `null` beside a type is one more type; beside a name it is an alternative. */
  #nullable(schema: Schema, direction: Direction): PublishedSchema | undefined {
    if (!Array.isArray(schema.anyOf) || schema.anyOf.length !== 2) {
      return undefined;
    }
    const [some, none] = schema.anyOf as [Schema, Schema];
    if (none.type !== 'null') {
      return undefined;
    }
    const { description } = schema;
    const described = description === undefined ? {} : { description };
    const published = this.#publish(some, direction);
    if (published.$ref !== undefined) {
      return { anyOf: [published, { type: 'null' }], ...described };
    }
    const values = Array.isArray(published.enum) ? { enum: [...published.enum, null] } : {};
    return { ...published, type: [published.type, 'null'], ...values, ...described };
  }
}
