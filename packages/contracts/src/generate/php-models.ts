import type { TSchema } from 'typebox';
import { errorCatalogue } from '../errors.js';
import { EventQuery } from '../http/events.js';
import { CustomerQuery, DocumentQuery } from '../http/routes.js';
import { namedSchemas } from '../openapi/named-schemas.js';
import { type PublishedSchema, SchemaPublisher } from '../openapi/published-schema.js';

/** A class of the PHP client. */
export interface PhpClass {
  readonly name: string;
  readonly text: string;
}

const head = `<?php

// Written by \`npm run generate\` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\\Model;
`;
/** Numbers that are no amounts; a discount is a percentage or an amount. */
const plainNumbers: Readonly<Record<string, string>> = {
  quantity: 'float',
  vat_rate: 'float',
  value: 'Money|float',
};
/** What exceptions of the client have. */
const unused: readonly string[] = ['ErrorBody'];
const widthMax = 116;

/** A type of PHP: as declared and as documented, and how a value of it is made of JSON. */
interface PhpType {
  readonly declared: string;
  readonly documented: string;
  readonly isNullable: boolean;
  readonly read: (json: string) => string;
}

interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: PhpType;
  readonly description: unknown;
}

/** The shapes of requests and responses as classes of PHP, one for each file. */
export function phpModels(): PhpClass[] {
  return new PhpModels().classes();
}

class PhpModels {
  readonly #publisher = new SchemaPublisher(namedSchemas);
  readonly #named: Record<string, PublishedSchema> = {
    ...this.#publisher.components(),
    ...Object.fromEntries(
      Object.entries({ DocumentQuery, EventQuery, CustomerQuery } as Record<string, TSchema>).map(
        ([name, schema]) => [name, this.#publisher.publish(schema, 'request')],
      ),
    ),
  };
  /** Objects without a name of their own, by what they are. */
  readonly #inlineNames = new Map<string, string>();
  readonly #written: PhpClass[] = [];

  classes(): PhpClass[] {
    const alternatives = new Set(
      Object.values(this.#named).flatMap(({ anyOf }) => ((anyOf ?? []) as PublishedSchema[]).map(nameOf)),
    );
    for (const [name, schema] of Object.entries(this.#named)) {
      if (Array.isArray(schema.enum)) {
        this.#writeConstants(name, schema.enum as string[], schema.description);
      } else if (!alternatives.has(name) && !unused.includes(name)) {
        this.#writeClass(name, schema);
      }
    }
    this.#writeConstants('ErrorCode', Object.keys(errorCatalogue), 'Every error code of the HTTP API.');
    return this.#written.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  #writeConstants(name: string, values: readonly string[], description: unknown): void {
    const constants = values.map(
      (value) => `    public const ${value.toUpperCase().replaceAll('.', '_')} = '${value}';\n`,
    );
    const text = `${head}\n${comment(description, '')}final class ${name}\n{\n${constants.join('')}}\n`;
    this.#written.push({ name, text });
  }

  #writeClass(name: string, schema: PublishedSchema): void {
    const { properties, required } = this.#objectOf(schema);
    const all = Object.entries(properties).map(([member, one]): Member => {
      const type = this.#typeOf(one, name, member);
      return { name: member, isRequired: required.has(member), type, description: one.description };
    });
    // PHP has the parameters that may be left out at the end.
    const members = [
      ...all.filter((member) => member.isRequired),
      ...all.filter((member) => !member.isRequired),
    ];
    const uses = members.some(({ type }) => type.declared.includes('Money'))
      ? 'use Pinkas\\Model;\nuse Pinkas\\Money;\n'
      : 'use Pinkas\\Model;\n';
    const text = `${head}
${uses}
${comment(schema.description, '')}final class ${name} extends Model
{
    public function __construct(
${members.map(parameter).join('')}    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
${members.map(argument).join('')}        ));
    }
}
`;
    this.#written.push({ name, text });
  }

  /** The members of an object. Of alternatives, the members of all: those that not every one has may be missing. */
  #objectOf(schema: PublishedSchema): { properties: Record<string, PublishedSchema>; required: Set<string> } {
    if (!Array.isArray(schema.anyOf)) {
      const { properties = {}, required = [] } = schema;
      return {
        properties: properties as Record<string, PublishedSchema>,
        required: new Set(required as string[]),
      };
    }
    const objects = (schema.anyOf as PublishedSchema[]).map((item) => this.#objectOf(this.#resolved(item)));
    const names = [...new Set(objects.flatMap(({ properties }) => Object.keys(properties)))];
    const properties = names.map((name): [string, PublishedSchema] => {
      const found = objects.map((object) => object.properties[name]).filter((member) => member !== undefined);
      return [name, merged(found)];
    });
    return {
      properties: Object.fromEntries(properties),
      required: new Set(names.filter((name) => objects.every(({ required }) => required.has(name)))),
    };
  }

  #resolved(schema: PublishedSchema): PublishedSchema {
    return schema.$ref === undefined ? schema : (this.#named[nameOf(schema)] as PublishedSchema);
  }

  #typeOf(schema: PublishedSchema, owner: string, member: string): PhpType {
    const { anyOf } = schema as { anyOf?: PublishedSchema[] };
    if (schema.$ref !== undefined) {
      return Array.isArray(this.#resolved(schema).enum) ? plain('string') : classType(nameOf(schema));
    }
    if (anyOf?.some(({ type }) => type === 'null')) {
      const [some = {}] = anyOf;
      return { ...this.#typeOf(some, owner, member), isNullable: true };
    }
    if (anyOf?.every((item) => this.#resolved(item).type !== 'object')) {
      const types = anyOf.map((item) => this.#typeOf(item, owner, member));
      const joined = (key: 'declared' | 'documented') => types.map((type) => type[key]).join('|');
      return { ...plain(joined('declared')), documented: joined('documented') };
    }
    const types = [schema.type].flat();
    const isNullable = types.includes('null');
    const type = types.find((name) => name !== 'null');
    if (type === 'object' || anyOf !== undefined) {
      const { properties } = this.#objectOf(schema);
      return Object.keys(properties).length === 0
        ? { ...plain('array'), isNullable }
        : { ...classType(this.#inlineClass(schema, owner, member)), isNullable };
    }
    return { ...this.#plainType(type, schema, owner, member), isNullable };
  }

  #plainType(type: unknown, schema: PublishedSchema, owner: string, member: string): PhpType {
    switch (type) {
      case 'string':
        return { ...plain('string'), documented: literals(schema) ?? 'string' };
      case 'boolean':
        return plain('bool');
      case 'integer':
        return plain('int');
      case 'number':
        return plainNumbers[member] === undefined ? money : plain(plainNumbers[member]);
      case 'array': {
        const item = this.#typeOf(schema.items as PublishedSchema, owner, member.replace(/s$/, ''));
        const isClass = item.read('') !== '';
        return {
          ...plain('array'),
          documented: `list<${item.documented}>`,
          read: (json) => (isClass ? `array_map(${item.declared}::fromArray(...), ${json})` : json),
        };
      }
      default:
        throw new Error(`no PHP for ${JSON.stringify(schema)}`);
    }
  }

  /** The class of an object without a name: named by where it is first. */
  #inlineClass(schema: PublishedSchema, owner: string, member: string): string {
    const fingerprint = JSON.stringify(schema);
    const known = this.#inlineNames.get(fingerprint);
    if (known !== undefined) {
      return known;
    }
    const name = `${owner}${member.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
    this.#inlineNames.set(fingerprint, name);
    this.#writeClass(name, schema);
    return name;
  }
}

const nameOf = ({ $ref }: PublishedSchema): string =>
  String($ref ?? '')
    .split('/')
    .at(-1) ?? '';

/** One schema for the same member of several alternatives. */
function merged(schemas: readonly PublishedSchema[]): PublishedSchema {
  const [first = {}] = schemas;
  if (schemas.every((schema) => JSON.stringify(schema) === JSON.stringify(first))) {
    return first;
  }
  if (first.type === 'object') {
    return { anyOf: schemas };
  }
  const { const: _const, enum: _enum, description: _description, ...common } = first;
  return common;
}

const plain = (declared: string): PhpType => ({
  declared,
  documented: declared,
  isNullable: false,
  read: (json) => json,
});
const classType = (name: string): PhpType => ({
  ...plain(name),
  read: (json) => `${name}::fromArray(${json})`,
});
const money: PhpType = { ...plain('Money'), read: (json) => `Money::ofNumber(${json})` };

function literals({ enum: values }: PublishedSchema): string | undefined {
  return Array.isArray(values)
    ? values
        .filter((value) => value !== null)
        .map((value) => `'${value}'`)
        .join('|')
    : undefined;
}

function parameter({ name, isRequired, type, description }: Member): string {
  const mayBeNull = type.isNullable || !isRequired;
  const optional = type.declared.includes('|') ? `${type.declared}|null` : `?${type.declared}`;
  const declared = mayBeNull ? optional : type.declared;
  const documented =
    type.documented === type.declared ? '' : `@var ${type.documented}${mayBeNull ? '|null' : ''}`;
  return `${comment(description, '        ', documented)}        public readonly ${declared} $${name}${isRequired ? '' : ' = null'},\n`;
}

function argument({ name, isRequired, type }: Member): string {
  const json = `$members['${name}']`;
  const isPlain = type.read(json) === json;
  const value =
    isPlain || (isRequired && !type.isNullable)
      ? type.read(`${json} ?? null`)
      : `isset(${json}) ? ${type.read(json)} : null`;
  return `            ${name}: ${value},\n`;
}

/** A description as a comment of lines that fit. @param tag a line of its own at its end. */
function comment(description: unknown, indent: string, tag = ''): string {
  const lines: string[] = [];
  for (const word of typeof description === 'string' ? description.split(/\s+/) : []) {
    const last = lines.at(-1);
    if (last === undefined || `${indent} * ${last} ${word}`.length > widthMax) {
      lines.push(word);
    } else {
      lines[lines.length - 1] = `${last} ${word}`;
    }
  }
  const all = tag === '' ? lines : [...lines, tag];
  if (all.length === 0) {
    return '';
  }
  return all.length === 1
    ? `${indent}/** ${all[0]} */\n`
    : `${indent}/**\n${all.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}
