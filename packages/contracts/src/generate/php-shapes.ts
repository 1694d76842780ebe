import type { TSchema } from 'typebox';
import { errorCatalogue } from '../errors.js';
import { EventQuery } from '../http/events.js';
import { CustomerQuery, DocumentQuery } from '../http/routes.js';
import { namedSchemas } from '../openapi/named-schemas.js';
import { type PublishedSchema, SchemaPublisher } from '../openapi/published-schema.js';

/** Numbers that are no amounts; a discount is a percentage or an amount. */
const plainNumbers: Readonly<Record<string, string>> = {
  quantity: 'int|float',
  vat_rate: 'int|float',
  value: 'Money|int|float',
};
/** What exceptions of the client have. */
const unused: readonly string[] = ['ErrorBody'];

const publisher = new SchemaPublisher(namedSchemas);

/** The shapes of requests and responses as types of PHPStan, which editors of PHP know, in one class. */
export function phpShapes(): string {
  const queries = Object.entries<TSchema>({ DocumentQuery, EventQuery, CustomerQuery }).map(
    ([name, schema]): [string, PublishedSchema] => [name, publisher.publish(schema, 'request')],
  );
  const shapes = [
    ...Object.entries(publisher.components()),
    ...queries,
    ['ErrorCode', { enum: Object.keys(errorCatalogue) }] as const,
  ];
  const types = shapes
    .filter(([name]) => !unused.includes(name))
    .map(([name, schema]) => ` * @phpstan-type ${name} ${typeOf(schema, name, ' * ')}\n`)
    .toSorted()
    .join('');
  const amounts = new Set([...types.matchAll(/(\w+)\??: Money(?:\|null)?,/g)].map(([, name]) => name));
  return `<?php

// Written by \`npm run generate\` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas;

/**
 * The objects of the HTTP API as arrays: \`@phpstan-import-type CreateDocument from \\Pinkas\\Shapes\`.
 *
${types} */
final class Shapes
{
    /** The members that are amounts. */
    public const AMOUNTS = [
${[...amounts].map((name) => `        '${name}',\n`).join('')}    ];
}
`;
}

function typeOf(schema: PublishedSchema, member: string, indent: string): string {
  const { $ref, anyOf, const: only, enum: values, type } = schema;
  if (typeof $ref === 'string') {
    return $ref.split('/').at(-1) ?? '';
  }
  if (Array.isArray(anyOf)) {
    return anyOf.map((option: PublishedSchema) => typeOf(option, member, indent)).join('|');
  }
  if (only !== undefined || Array.isArray(values)) {
    return (Array.isArray(values) ? values : [only])
      .map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
      .join('|');
  }
  return [type]
    .flat()
    .map((name) => plainTypeOf(String(name), schema, member, indent))
    .join('|');
}

function plainTypeOf(type: string, schema: PublishedSchema, member: string, indent: string): string {
  switch (type) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return 'int';
    case 'number':
      return plainNumbers[member] ?? 'Money';
    case 'array':
      return `list<${typeOf(schema.items as PublishedSchema, member, indent)}>`;
    case 'object':
      return objectOf(schema, indent);
    default:
      return type;
  }
}

/** A member that may be left out may be null as well: the client sends none that is. */
function objectOf({ properties = {}, required = [] }: PublishedSchema, indent: string): string {
  const inner = `${indent}    `;
  const members = Object.entries(properties as Record<string, PublishedSchema>).map(([name, schema]) => {
    const type = typeOf(schema, name, inner);
    const isRequired = (required as readonly string[]).includes(name);
    return `${inner}${name}${isRequired ? '' : '?'}: ${type}${isRequired || /\bnull$/.test(type) ? '' : '|null'},\n`;
  });
  return members.length === 0 ? 'array<string, mixed>' : `array{\n${members.join('')}${indent}}`;
}
