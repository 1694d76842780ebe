import { documentTypes } from '@pinkas/domain';
import type { TSchema } from 'typebox';
import { publicRoutes } from '../catalogue.js';
import type { Route, Scope } from '../define.js';
import { type ErrorCode, type ErrorEntry, errorCatalogue, isErrorCode } from '../errors.js';
import { type EventType, eventName, eventSchemas, eventTypes, whenOf } from '../http/events.js';
import {
  cancelDocumentExample,
  createDocumentExamples,
  type Example,
  errorExample,
  eventExample,
  replyExamples,
} from './examples.js';
import { namedSchemas } from './named-schemas.js';
import { problemsOf } from './problems-of.js';
import { SchemaPublisher } from './published-schema.js';
import { webhooksChapter } from './webhooks-chapter.js';

/** The address of the HTTP API that a document describes. */
export interface Addresses {
  /** The base address, with its version. */
  readonly baseUrl: string;
  /** The documentation, where errors are explained. */
  readonly docsUrl: string;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly [member: string]: unknown;
}

const tags = {
  Documents: 'Issue, read, list and cancel documents.',
  Events: 'What happened, as a list to catch up with: it misses nothing, and is kept for 90 days.',
  Webhooks: webhooksChapter,
  Customers: 'The customer cards of the business.',
  Business: 'What the key may do, and for whom.',
  Requests: 'What the key has sent, as it was answered.',
  Reference: 'What the interface says of itself; needs no key.',
} as const;

/** The first word of a path below the base address is the subject of an operation. */
const tagOfPath: Readonly<Record<string, keyof typeof tags>> = {
  documents: 'Documents',
  events: 'Events',
  customers: 'Customers',
  me: 'Business',
  'document-types': 'Business',
  requests: 'Requests',
  errors: 'Reference',
  'openapi.json': 'Reference',
};

function tagOf(route: Route): keyof typeof tags {
  const tag = tagOfPath[route.path.split('/')[1] ?? ''];
  if (tag === undefined) {
    throw new Error(`${route.path} belongs to no part of the reference`);
  }
  return tag;
}

/** The order of the reference: by tag, then by path, and creating before listing. */
function inOrder(one: Route, other: Route): number {
  const rank = (route: Route) =>
    [Object.keys(tags).indexOf(tagOf(route)), route.path, route.method === 'POST' ? 0 : 1].join(' ');
  return rank(one) < rank(other) ? -1 : 1;
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
const headersOfEveryAnswer = {
  'X-Request-Id': header('X-Request-Id'),
  'RateLimit-Limit': header('RateLimit-Limit'),
  'RateLimit-Remaining': header('RateLimit-Remaining'),
  'RateLimit-Reset': header('RateLimit-Reset'),
};
const headers = {
  'X-Request-Id': {
    description:
      "The id of the request: the caller's own where it is a UUID, else a new one. It is in every log line of the request.",
    schema: { type: 'string', format: 'uuid' },
  },
  'RateLimit-Limit': {
    description: 'Requests per minute of the key, or of the client address where no valid key was sent.',
    schema: { type: 'integer' },
  },
  'RateLimit-Remaining': {
    description: 'How many of them are left in this minute.',
    schema: { type: 'integer', minimum: 0 },
  },
  'RateLimit-Reset': {
    description: 'Seconds until the next minute begins.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Idempotent-Replayed': {
    description: '`true` on an answer that was given before to the same key and body; else absent.',
    schema: { type: 'string', const: 'true' },
  },
};

const parameters = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id of your own for this request: a UUID is kept, any other text is ignored.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'Names the document that is to be issued. Use a new key for a new document and the same key on every retry.',
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    example: 'order-1044',
  },
  DocumentId: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The `id` of the document.',
    schema: { type: 'string', format: 'uuid' },
  },
  EventId: {
    name: 'event_id',
    in: 'path',
    required: true,
    description: 'The `id` of the event.',
    schema: { type: 'string', pattern: '^evt_[0-9a-f]{32}$' },
  },
  LoggedRequestId: {
    name: 'request_id',
    in: 'path',
    required: true,
    description: 'The `X-Request-Id` of the request.',
    schema: { type: 'string', format: 'uuid' },
  },
};

const withId = (operationId: string) => ({ operationId, parameters: { id: '$response.body#/id' } });
const nextPage = (operationId: string) => ({
  operationId,
  description: 'Has nothing new where `next_cursor` is null, or the page is not full.',
  parameters: { cursor: '$response.body#/next_cursor' },
});
/** The links of the answer of an operation, by their names. */
const links: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  createDocument: { read: withId('getDocument'), cancel: withId('cancelDocument') },
  getDocument: { cancel: withId('cancelDocument') },
  cancelDocument: { read: withId('getDocument') },
  listDocuments: { next: nextPage('listDocuments') },
  listEvents: { next: nextPage('listEvents') },
};

const scopeSentence = (scope: Scope | null) =>
  scope === null ? '' : `\n\nNeeds a key with the scope \`${scope}\`.`;

/**
 * Describes the interface as OpenAPI 3.1, from the routes and schemas that validate its calls and from the catalogue of
 * errors. The same input gives the same document.
 */
export function openApiDocument(addresses: Addresses): OpenApiDocument {
  const publisher = new SchemaPublisher(namedSchemas);
  const examples = replyExamples(addresses.docsUrl);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of [...publicRoutes].sort(inOrder)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describe(route, publisher, examples),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pinkas',
      version: '1.0.0',
      summary: 'Issues legally valid Israeli accounting documents.',
      description: `The guide, the webhooks with their signature, and every error with what to do about it: ${addresses.docsUrl}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: addresses.baseUrl }],
    externalDocs: { description: 'Every error code explained', url: `${addresses.docsUrl}/errors` },
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, describeWebhook(type, publisher)])),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a bearer token.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'The API key, bare.' },
      },
      parameters,
      headers,
      schemas: publisher.components(),
      examples: Object.fromEntries(
        Object.keys(errorCatalogue)
          .filter(isErrorCode)
          .map((code) => [
            code,
            { summary: errorCatalogue[code].message, value: errorExample(code, addresses.docsUrl) },
          ]),
      ),
    },
  };
}

function describe(
  route: Route,
  publisher: SchemaPublisher,
  examples: Readonly<Record<string, Readonly<Record<string, Example>>>>,
) {
  return {
    operationId: route.operation,
    tags: [tagOf(route)],
    summary: route.summary,
    description: `${route.description}${scopeSentence(route.scope)}`,
    ...(route.access === 'anyone' ? { security: [] } : {}),
    ...(route.scope === null ? {} : { security: [{ bearer: [route.scope] }, { apiKey: [route.scope] }] }),
    parameters: parametersOf(route, publisher),
    ...requestBodyOf(route, publisher),
    responses: {
      [route.successStatus]: {
        description: route.successStatus === 201 ? 'Issued now, or before with the same key.' : 'The answer.',
        headers: {
          ...headersOfEveryAnswer,
          ...(route.idempotent ? { 'Idempotent-Replayed': header('Idempotent-Replayed') } : {}),
        },
        content: {
          'application/json': {
            schema: publisher.publish(route.reply, 'response'),
            examples: examples[route.operation],
          },
        },
        ...(links[route.operation] ? { links: links[route.operation] } : {}),
      },
      ...refusalsOf(route),
    },
  };
}

const webhookHeader = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** The request that an endpoint of a business gets for events of a type, by Standard Webhooks. */
function describeWebhook(type: EventType, publisher: SchemaPublisher) {
  return {
    post: {
      operationId: `on${eventName(type)}`,
      tags: ['Webhooks'],
      summary: whenOf(type),
      description:
        'Sent to the endpoints of the business (Standard Webhooks). Any 2xx within 10 seconds is received; anything else is sent again for three days. It may arrive more than once and in another order.',
      security: [],
      parameters: [
        webhookHeader('webhook-id', 'The id of the event, the same in every attempt.'),
        webhookHeader('webhook-timestamp', 'When this attempt was sent, in seconds since 1970.'),
        webhookHeader(
          'webhook-signature',
          '`v1,` and a signature of id, timestamp and body; several, after a space.',
        ),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: publisher.publish(eventSchemas[type], 'response'),
            examples: { [eventName(type)]: { summary: whenOf(type), value: eventExample(type) } },
          },
        },
      },
      responses: {
        '2XX': { description: 'Received. The body is kept for the log, up to 4 KB.' },
        '410': { description: 'The endpoint is gone: nothing more is sent to it.' },
      },
    },
  };
}

function parametersOf(route: Route, publisher: SchemaPublisher) {
  const parameter = (name: keyof typeof parameters) => ({ $ref: `#/components/parameters/${name}` });
  return [
    ...(route.path.includes(':id') ? [parameter('DocumentId')] : []),
    ...(route.path.includes(':event_id') ? [parameter('EventId')] : []),
    ...(route.path.includes(':request_id') ? [parameter('LoggedRequestId')] : []),
    ...(route.idempotent ? [parameter('IdempotencyKey')] : []),
    ...Object.entries<TSchema>(route.query?.properties ?? {}).map(([name, schema]) => {
      const { description, ...rest } = publisher.publish(schema, 'request');
      return {
        name,
        in: 'query',
        ...(route.query?.required?.includes(name) ? { required: true } : {}),
        description,
        schema: rest,
      };
    }),
    parameter('RequestId'),
  ];
}

const documentExamples: Readonly<Record<string, Example>> = Object.fromEntries(
  // The most usual document opens the list.
  (['tax_invoice_receipt', ...documentTypes] as const).map((type) => [
    type,
    { summary: type, value: createDocumentExamples[type] },
  ]),
);

const requestExamples: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  createDocument: documentExamples,
  previewDocument: documentExamples,
  cancelDocument: { reason: { summary: 'With a reason', value: cancelDocumentExample } },
};

function requestBodyOf(route: Route, publisher: SchemaPublisher) {
  if (route.body === null) {
    return {};
  }
  return {
    requestBody: {
      required: !route.bodyOptional,
      content: {
        'application/json': {
          schema: publisher.publish(route.body, 'request'),
          examples: requestExamples[route.operation],
        },
      },
    },
  };
}

/** Every refusal of a route, by its HTTP status, with the codes and an example of each. */
function refusalsOf(route: Route): Record<string, unknown> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of problemsOf(route)) {
    const status = errorCatalogue[code].httpStatus;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const sorted = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    sorted.map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `- \`${code}\`: ${sentence(code)}`).join('\n'),
        headers: {
          ...headersOfEveryAnswer,
          ...(status === 429 ? { 'Retry-After': header('Retry-After') } : {}),
        },
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/ErrorBody' },
            examples: Object.fromEntries(
              codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
            ),
          },
        },
      },
    ]),
  );
}

function sentence(code: ErrorCode): string {
  const entry: ErrorEntry = errorCatalogue[code];
  const carries = entry.details.map((member) => `\`details.${member}\``).join(', ');
  const again = entry.retryable ? ' May be sent again.' : '';
  return `${entry.message}${carries === '' ? '' : ` Carries ${carries}.`}${again}`;
}
