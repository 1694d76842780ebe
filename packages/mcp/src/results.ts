import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import schemas from './schemas.json' with { type: 'json' };

type ObjectSchema = NonNullable<Tool['outputSchema']>;

const objectOf = (properties: object, required: readonly string[]) =>
  ({ type: 'object', properties, required: [...required] }) as unknown as ObjectSchema;
const listOf = (items: object) => ({ type: 'array', items });
const text = { type: 'string' };

const { id, type, number, date, status, external_ref, allocation, delivery, view_url, pdf_url } =
  schemas.IssuedDocument.properties;
const summarized = {
  ...{ id, type, number, date, status, external_ref },
  customer: { type: ['string', 'null'] },
  total: { type: 'number' },
};
const summary = objectOf(summarized, Object.keys(summarized));
/** Without it nothing was cancelled, or issued before. */
const others = { cancelled: listOf(summary), already_issued: summary, what_to_do: text };

/** What the tools return. */
export const results = {
  business: schemas.Profile as ObjectSchema,
  documentTypes: schemas.DocumentTypeList as ObjectSchema,
  customers: schemas.CustomerList as ObjectSchema,
  preview: objectOf(
    {
      token: text,
      ...schemas.DocumentPreview.properties,
      warnings: listOf(objectOf({ code: text, message: text }, ['code', 'message'])),
      ...others,
    },
    ['what_to_do'],
  ),
  issued: objectOf(
    { ...summarized, allocation, delivery, view_url, pdf_url, replayed: { type: 'boolean' }, ...others },
    ['replayed'],
  ),
  document: schemas.DocumentDetail as ObjectSchema,
  documents: objectOf({ documents: listOf(summary), next_cursor: { type: ['string', 'null'] } }, [
    'documents',
    'next_cursor',
  ]),
  summary,
  events: objectOf(
    {
      events: listOf(
        objectOf({ id: text, type: text, timestamp: text, document: summary }, ['id', 'type', 'timestamp']),
      ),
      next_cursor: text,
    },
    ['events', 'next_cursor'],
  ),
} as const;
