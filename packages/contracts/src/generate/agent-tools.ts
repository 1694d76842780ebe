import type { TSchema } from 'typebox';
import { EventQuery } from '../http/events.js';
import { CustomerQuery, DocumentQuery } from '../http/routes.js';
import { SchemaPublisher } from '../openapi/published-schema.js';
import { CreateDocument } from '../schema/document.js';

/** The arguments of the tools for agents, as JSON Schema without references: some models do not follow them. */
export function agentToolSchemas(): string {
  const publisher = new SchemaPublisher({ request: {}, response: {} });
  const schemas: Record<string, TSchema> = { CreateDocument, CustomerQuery, DocumentQuery, EventQuery };
  const published = Object.entries(schemas).map(
    ([name, schema]) => [name, publisher.publish(schema, 'request')] as const,
  );
  return `${JSON.stringify(Object.fromEntries(published), null, 2)}\n`;
}
