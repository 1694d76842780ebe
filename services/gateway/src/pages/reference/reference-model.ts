import type { OpenApiDocument } from '@pinkas/contracts/openapi';

/** What a reference or a schema of the OpenAPI document has; it is our own, and checked by a linter. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { $ref?: string; summary?: string; value?: unknown }>>;
}
type Content = Readonly<Record<string, Media>>;

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
}

export interface Described {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** An operation with where it is. */
export interface PlacedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

export const described = (document: OpenApiDocument) => document as unknown as Described;

/** All operations, in the order of the document. */
export function operationsOf({ paths }: Described): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

export const nameOf = (ref: string) => ref.split('/').at(-1) ?? '';

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

/** A type in words, as Markdown. @param link to a schema that has a section of its own. */
export function typeOf(schema: Schema, link: (name: string) => string): string {
  if (schema.$ref !== undefined) {
    return link(nameOf(schema.$ref));
  }
  if (schema.anyOf) {
    return schema.anyOf.map((each) => typeOf(each, link)).join(' or ');
  }
  if (schema.const !== undefined) {
    return code(schema.const);
  }
  if (schema.items) {
    return `array of ${typeOf(schema.items, link)}`;
  }
  const types = [schema.type ?? 'any'].flat().join(' or ');
  return schema.format === undefined ? types : `${types} (${schema.format})`;
}

/** What restricts a value, besides its type, as Markdown; empty: nothing does. */
export function limitsOf(schema: Schema): string {
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    if (least === undefined) {
      return most === undefined ? [] : [`at most ${most} ${unit}`];
    }
    return [most === undefined ? `at least ${least} ${unit}` : `${least}–${most} ${unit}`];
  };
  return [
    ...(schema.enum ? [schema.enum.map(code).join(' ')] : []),
    ...range(schema.minLength, schema.maxLength, 'characters'),
    ...range(schema.minItems, schema.maxItems, 'items'),
    ...(schema.minimum === undefined ? [] : [`at least ${schema.minimum}`]),
    ...(schema.maximum === undefined ? [] : [`at most ${schema.maximum}`]),
    ...(schema.pattern === undefined ? [] : [code(schema.pattern)]),
    ...(schema.default === undefined ? [] : [`default ${code(schema.default)}`]),
  ].join(' · ');
}

/** A field of a request or a response. */
export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
}

/**
 * The fields of a schema and of the objects in it: `limits.per_minute`, `data[].id`.
 * @param named the schemas whose fields are shown as well where one of them is referred to.
 */
export function fieldsOf(schema: Schema, named: Described['components']['schemas'], prefix = ''): Field[] {
  const resolved = (referring: Schema): Schema => ({ ...named[nameOf(referring.$ref ?? '')], ...referring });
  const object = resolved(schema);
  const inner = object.items ? resolved(object.items) : object;
  const own = object.items ? `${prefix}[]` : prefix;
  return Object.entries(inner.properties ?? {}).flatMap(([name, property]) => {
    const path = own === '' ? name : `${own}.${name}`;
    const isRequired = inner.required?.includes(name) ?? false;
    return [{ name: path, schema: resolved(property), isRequired }, ...fieldsOf(property, named, path)];
  });
}

/** The parameters of an operation as fields. */
export function parametersOf(
  { parameters = [] }: Operation,
  { parameters: known }: Described['components'],
): Field[] {
  return parameters.map((parameter) => {
    const { $ref } = parameter;
    const given = $ref === undefined ? parameter : (known[nameOf($ref)] as Parameter);
    return {
      ...given,
      isRequired: given.required ?? false,
      description: `In the ${given.in}. ${given.description ?? ''}`,
    };
  });
}
