import { contracts, events } from '../catalogue.js';
import { type ServiceName, serviceNames } from '../define.js';

/** A JSON Schema, as data. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What travels on one subject, by the part that it plays: `request` and `reply`, or `body`. */
export type SubjectSchemas = { readonly [part: string]: JsonSchema };

/** What one service answers and announces, by subject. */
export type WireSchemas = { readonly [subject: string]: SubjectSchemas };

/** What explains a schema and decides nothing. */
const annotations = new Set(['description', 'publicFormat', 'title', 'examples']);

/** The schemas of everything that travels between services, as they are now. */
export function wireSchemas(): Record<ServiceName, WireSchemas> {
  return Object.fromEntries(serviceNames.map((service) => [service, schemasOf(service)])) as Record<
    ServiceName,
    WireSchemas
  >;
}

/** Where the schemas of a service lie in the repository, as the last release has them. */
export function wireFile(service: ServiceName): URL {
  return new URL(`../../wire/${service}.json`, import.meta.url);
}

/** The text of that file. */
export function wireText(schemas: WireSchemas): string {
  return `${JSON.stringify(schemas, null, 2)}\n`;
}

function schemasOf(service: ServiceName): WireSchemas {
  const asked = contracts
    .filter(({ owner }) => owner === service)
    .map(({ subject, request, reply }) => [subject, { request: plain(request), reply: plain(reply) }]);
  const announced = events
    .filter(({ owner }) => owner === service)
    .map(({ subject, body }) => [subject, { body: plain(body) }]);
  return Object.fromEntries([...asked, ...announced].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

/** What of a schema decides which values match. */
function plain(schema: unknown): JsonSchema {
  return withoutAnnotations(JSON.parse(JSON.stringify(schema))) as JsonSchema;
}

function withoutAnnotations(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutAnnotations);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !annotations.has(keyword))
      .map(([keyword, value]) => [
        keyword,
        // A member of an object may well be called like an annotation.
        keyword === 'properties' ? eachMember(value as object) : withoutAnnotations(value),
      ]),
  );
}

function eachMember(members: object): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, withoutAnnotations(schema)]),
  );
}
