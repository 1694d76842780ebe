import { decimalPlaces } from '@pinkas/domain';
import * as allocation from '../allocation/index.js';
import { contracts, events } from '../catalogue.js';
import * as customer from '../customer/index.js';
import { type ServiceName, serviceNames } from '../define.js';
import * as delivery from '../delivery/index.js';
import * as gateway from '../gateway/index.js';
import * as issuing from '../issuing/index.js';
import * as outbox from '../outbox.js';
import * as rendering from '../rendering/index.js';
import * as business from '../schema/business.js';
import * as document from '../schema/document.js';

/** A JSON Schema, as data. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The schemas of one subject: `request` and `reply` of a contract, or the `body` of an event. */
export type SubjectSchemas = { readonly [part: string]: JsonSchema };

/** The schemas of one service's contracts and events, by subject. */
export type WireSchemas = { readonly [subject: string]: SubjectSchemas };

/** The schemas of everything that travels between services; shared ones are stated once and referred to. */
export interface WireRecord {
  readonly $defs: { readonly [name: string]: JsonSchema };
  readonly services: Readonly<Record<ServiceName, WireSchemas>>;
}

/** The keywords that explain a schema and decide nothing. */
const annotations = new Set([
  'description',
  'publicFormat',
  'publicMinimum',
  'publicDependentSchemas',
  'title',
  'examples',
]);
const refPrefix = '#/$defs/';
/** As long as the formatter allows. */
const lineWidth = 110;

/** The schemas of everything that travels between services, as they are now, without references. */
export function wireSchemas(): Record<ServiceName, WireSchemas> {
  return Object.fromEntries(serviceNames.map((service) => [service, schemasOf(service)])) as Record<
    ServiceName,
    WireSchemas
  >;
}

/** The record of schemas in which every schema with a name is a reference. */
export function wireRecord(schemas = wireSchemas()): WireRecord {
  const names = namesByText();
  const used = new Map<string, JsonSchema>();
  const refer = (value: unknown, isDefinition = false): unknown => {
    if (Array.isArray(value)) {
      return value.map((item) => refer(item));
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    const name = isDefinition ? undefined : names.get(JSON.stringify(value));
    if (name === undefined) {
      return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, refer(child)]));
    }
    if (!used.has(name)) {
      used.set(name, refer(value, true) as JsonSchema);
    }
    return { $ref: `${refPrefix}${name}` };
  };
  const services = refer(schemas) as WireRecord['services'];
  return { $defs: Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1))), services };
}

/** The schemas of a record with every reference replaced by what it refers to. */
export function resolveWireRecord({ $defs, services }: WireRecord): Record<ServiceName, WireSchemas> {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(resolve);
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    const { $ref } = value as JsonSchema;
    if (typeof $ref === 'string') {
      return resolve($defs[$ref.slice(refPrefix.length)]);
    }
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, resolve(child)]));
  };
  return resolve(services) as Record<ServiceName, WireSchemas>;
}

/** The text of the record's file: what fits on a line is on one. */
export function wireText(record = wireRecord()): string {
  return `${print(record, '')}\n`;
}

function print(value: unknown, indent: string): string {
  const line = JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
  if (typeof value !== 'object' || value === null || indent.length + line.length <= lineWidth) {
    return line;
  }
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    // A list of names is one line, however long.
    if (value.every((item) => typeof item !== 'object')) {
      return line;
    }
    return `[\n${value.map((item) => inner + print(item, inner)).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(
    ([key, child]) => `${inner}${JSON.stringify(key)}: ${print(child, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

/** The names of the exported object schemas, by their text. */
function namesByText(): Map<string, string> {
  const modules = [business, document, issuing, customer, rendering, allocation, delivery, gateway, outbox];
  const names = new Map<string, string>();
  for (const [name, value] of modules.flatMap((module) => Object.entries(module))) {
    if (typeof value !== 'object' || !('type' in value) || !('properties' in value)) {
      continue;
    }
    const text = JSON.stringify(plain(value));
    if (!names.has(text)) {
      names.set(text, name);
    }
  }
  for (const [name, { request, reply }] of Object.entries(outbox.messaging.issuing)) {
    names.set(JSON.stringify(plain(request)), `${name}.request`);
    names.set(JSON.stringify(plain(reply)), `${name}.reply`);
  }
  return names;
}

function schemasOf(service: ServiceName): WireSchemas {
  const called = contracts
    .filter(({ owner }) => owner === service)
    .map(({ subject, request, reply }) => [subject, { request: plain(request), reply: plain(reply) }]);
  const published = events
    .filter(({ owner }) => owner === service)
    .map(({ subject, body }) => [subject, { body: plain(body) }]);
  return Object.fromEntries([...called, ...published].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

/** The keywords of a schema that decide which values match. */
function plain(schema: unknown): JsonSchema {
  return withoutAnnotations(JSON.parse(JSON.stringify(schema))) as JsonSchema;
}

function withoutAnnotations(schema: unknown): unknown {
  if (Array.isArray(schema)) {
    return schema.map(withoutAnnotations);
  }
  if (typeof schema !== 'object' || schema === null) {
    return schema;
  }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !annotations.has(keyword))
      .map(([keyword, value]) => {
        if (keyword === 'multipleOf') {
          // As a binary fraction other validators refuse what it admits.
          return ['decimals', decimalPlaces(value as number)];
        }
        // A member of an object may have the name of an annotation.
        return [keyword, keyword === 'properties' ? eachMember(value as object) : withoutAnnotations(value)];
      }),
  );
}

function eachMember(members: object): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, withoutAnnotations(schema)]),
  );
}
