import type { TSchema } from 'typebox';
import { EventQuery } from '../http/events.js';
import {
  CustomerList,
  CustomerQuery,
  DocumentDetail,
  DocumentPreview,
  DocumentQuery,
  getDocumentTypes,
  NewDocument,
  Profile,
} from '../http/routes.js';
import { SchemaPublisher, unannotated } from '../openapi/published-schema.js';
import { CreateDocument } from '../schema/document.js';

/**
 * The arguments of the tools for agents, and what their results are made of, as JSON Schema without references: some models do not
 * follow them. A result has no descriptions: an agent reads the list of tools each time.
 */
export function agentToolSchemas(): string {
  const publisher = new SchemaPublisher({ request: {}, response: {} });
  const taken: Record<string, TSchema> = { CreateDocument, CustomerQuery, DocumentQuery, EventQuery };
  const returned: Record<string, TSchema> = {
    Profile,
    DocumentTypeList: getDocumentTypes.reply,
    CustomerList,
    DocumentDetail,
    DocumentPreview,
    IssuedDocument: NewDocument,
  };
  const published = {
    ...mapped(taken, (schema) => publisher.publish(schema, 'request')),
    ...mapped(returned, (schema) => unannotated(publisher.publish(schema, 'response'))),
  };
  return `${JSON.stringify(published, null, 2)}\n`;
}

const mapped = (schemas: Readonly<Record<string, TSchema>>, publish: (schema: TSchema) => unknown) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, publish(schema)]));
