import type { TSchema } from 'typebox';
import { scopes } from '../define.js';
import { type ErrorCode, errorCatalogue } from '../errors.js';
import { EventQuery } from '../http/events.js';
import { CustomerQuery, DocumentQuery } from '../http/routes.js';
import { namedSchemas } from '../openapi/named-schemas.js';
import { type PublishedSchema, SchemaPublisher } from '../openapi/published-schema.js';
import { type ErrorDetailMember, errorDetailFields } from '../schema/error-details.js';

/** The longest line, as the formatter of the repository has it. */
const widthMax = 110;

/**
 * The shapes of requests and answers as TypeScript, with the descriptions as comments: a client that holds them needs no
 * schema library. The same schemas give the same text.
 */
export function typeScriptTypes(): string {
  const publisher = new SchemaPublisher(namedSchemas);
  const queries: Record<string, TSchema> = { DocumentQuery, EventQuery, CustomerQuery };
  const schemas = {
    ...publisher.components(),
    ...Object.fromEntries(
      Object.entries(queries).map(([name, schema]) => [name, publisher.publish(schema, 'request')]),
    ),
  };
  const written = new Set([...Object.keys(namedSchemas.request), ...Object.keys(queries)]);
  return [
    '/* Written by `npm run generate` from the schemas that the HTTP API validates with. */',
    ...Object.entries(schemas).map(([name, schema]) => declaration(name, schema, written.has(name))),
    `/** What a key may be used for. */\n${alias('Scope', union([...scopes], 'export type Scope = '.length))}`,
    `/** Every error code of the HTTP API. */\n${alias('ErrorCode', union(Object.keys(errorCatalogue), widthMax))}`,
    detailsOfErrors(publisher),
    '/** What `error.details` holds for an error of this code. */\nexport type ErrorDetailsOf<Code extends ErrorCode> = Code extends keyof ErrorDetails\n  ? ErrorDetails[Code]\n  : Readonly<Record<string, never>>;',
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}

/** @param isWritten whether callers write its values: they may hold constants. */
function declaration(name: string, schema: PublishedSchema, isWritten: boolean): string {
  const declared = typeOf(schema, '', `export type ${name} = `.length);
  const type = isWritten ? declared.replaceAll(/: (\w+\[\];)/g, ': readonly $1') : declared;
  const text = type.startsWith('{') ? `export interface ${name} ${type}` : alias(name, type);
  return `${comment(schema.description, '')}${text}`;
}

const alias = (name: string, type: string) =>
  `export type ${name} =${type.startsWith('\n') ? '' : ' '}${type};`;

/** The members that `error.details` has, by code; codes that carry none are left out. */
function detailsOfErrors(publisher: SchemaPublisher): string {
  const codes = (Object.keys(errorCatalogue) as ErrorCode[]).filter(
    (code) => errorCatalogue[code].details.length > 0,
  );
  const members = codes.map((code) => {
    const carried = errorCatalogue[code].details.map((member: ErrorDetailMember) => {
      const schema = publisher.publish(errorDetailFields[member], 'response');
      return property(member, schema, true, '    ');
    });
    return `  ${code}: {\n${carried.join('\n')}\n  };`;
  });
  return `/** What \`error.details\` holds, by code. */\nexport interface ErrorDetails {\n${members.join('\n')}\n}`;
}

function property(name: string, schema: PublishedSchema, required: boolean, indent: string): string {
  const head = `${indent}${name}${required ? '' : '?'}: `;
  const type = typeOf(schema, indent, head.length);
  return `${comment(schema.description, indent)}${type.startsWith('\n') ? head.trimEnd() : head}${type};`;
}

/** @param taken how much of the line is there already. */
function typeOf(schema: PublishedSchema, indent: string, taken: number): string {
  if (typeof schema.$ref === 'string') {
    return schema.$ref.split('/').at(-1) ?? '';
  }
  if (schema.type === undefined && Array.isArray(schema.anyOf)) {
    const types = schema.anyOf.map((item: PublishedSchema) => typeOf(item, indent, taken));
    return alternatives(types, taken, indent);
  }
  if (Array.isArray(schema.enum)) {
    return union(schema.enum, taken, indent);
  }
  if (typeof schema.const === 'string') {
    return quote(schema.const);
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => plainTypeOf(type, schema, indent, taken)).join(' | ');
}

function plainTypeOf(type: unknown, schema: PublishedSchema, indent: string, taken: number): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'null':
      return type;
    case 'integer':
      return 'number';
    case 'array': {
      const item = typeOf(schema.items as PublishedSchema, indent, taken);
      return /[|\n]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'object': {
      const required = (schema.required ?? []) as readonly string[];
      const members = Object.entries((schema.properties ?? {}) as Record<string, PublishedSchema>).map(
        ([name, member]) => property(name, member, required.includes(name), `${indent}  `),
      );
      return members.length === 0 ? 'Record<string, unknown>' : `{\n${members.join('\n')}\n${indent}}`;
    }
    default:
      throw new Error(`no TypeScript for ${JSON.stringify(schema)}`);
  }
}

const quote = (value: string) => `'${value}'`;

function union(values: readonly (string | null)[], taken: number, indent = ''): string {
  return alternatives(
    values.map((value) => (value === null ? 'null' : quote(value))),
    taken,
    indent,
  );
}

function alternatives(types: readonly string[], taken: number, indent: string): string {
  const line = types.join(' | ');
  const fits = taken + line.length + 1 <= widthMax || types.some((type) => type.includes('\n'));
  return fits ? line : types.map((type) => `\n${indent}  | ${type}`).join('');
}

/** A description as a comment of lines that fit. */
function comment(description: unknown, indent: string): string {
  if (typeof description !== 'string') {
    return '';
  }
  const single = `${indent}/** ${description} */\n`;
  if (single.length <= widthMax + 1) {
    return single;
  }
  const lines: string[] = [];
  for (const word of description.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || `${last} ${word}`.length > widthMax) {
      lines.push(`${indent} * ${word}`);
    } else {
      lines[lines.length - 1] = `${last} ${word}`;
    }
  }
  return `${indent}/**\n${lines.join('\n')}\n${indent} */\n`;
}
