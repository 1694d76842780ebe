import Type, { type Static } from 'typebox';
import { defineRoute } from '../define.js';
import { errorCatalogue } from '../errors.js';
import { cancelDocument, issueDocument, previewDocument } from '../issuing/index.js';
import { CancelDocument, CreateDocument } from '../schema/document.js';
import { Address, described, Strict, Uuid } from '../schema/fields.js';
import { LoggedRequest, requestLogDays } from '../schema/logged-request.js';
import { timeLimitsMs } from '../time-limits.js';
import {
  CancelledDocument,
  CustomerList,
  CustomerQuery,
  DocumentDetail,
  DocumentPage,
  DocumentPreview,
  DocumentQuery,
  DocumentTypeEntry,
  ErrorCatalogueEntry,
  NewDocument,
  Profile,
} from './route-schemas.js';

export * from './route-schemas.js';

/** The error object (API specification, 2.8). */
export const ErrorBody = Strict({
  error: Strict({
    code: Type.String({
      description:
        'Stable: safe to branch on. `GET /errors` lists all codes. Treat a code that you do not know by its HTTP status and `retryable`.',
      examples: ['total_mismatch'],
      'x-extensible-enum': Object.keys(errorCatalogue),
    }),
    message: Type.String({ description: 'What is wrong, in English, for people.' }),
    message_he: Type.String({ description: 'The same in Hebrew, right to left.' }),
    hint: Type.Optional(Type.String({ description: 'What to do about it; absent where there is nothing.' })),
    retryable: Type.Boolean({
      description:
        '`true`: the same request with the same Idempotency-Key may be sent again, with growing waits between attempts.',
    }),
    doc_url: described(Address, 'A page about this code.'),
    details: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Facts about the refusal, by code.' }),
    ),
  }),
  request_id: described(
    Uuid,
    'Also the X-Request-Id header of the response. Quote it when you ask for help.',
  ),
});
export type ErrorBody = Static<typeof ErrorBody>;

export const getMe = defineRoute({
  operation: 'getMe',
  summary: 'The business of the key, its limits and the key itself',
  description: 'Needs any valid key.',
  path: '/me',
  reply: Profile,
});

export const getDocumentTypes = defineRoute({
  operation: 'listDocumentTypes',
  summary: 'The types of document that this business may issue',
  description: 'Needs any valid key.',
  path: '/document-types',
  reply: Strict({ data: Type.Array(DocumentTypeEntry) }),
});

export const getErrors = defineRoute({
  operation: 'listErrors',
  summary: 'Every error code that the interface can answer with',
  description: 'Needs no key.',
  access: 'anyone',
  path: '/errors',
  reply: Strict({ data: Type.Array(ErrorCatalogueEntry) }),
});

export const getOpenApi = defineRoute({
  operation: 'getOpenApi',
  summary: 'This description, as an OpenAPI 3.1 document',
  description:
    'Needs no key. It has an `ETag`, may be cached for five minutes, and is compressed for clients that accept gzip; `If-None-Match` is answered with `304`.',
  access: 'anyone',
  path: '/openapi.json',
  reply: Type.Object({ openapi: Type.String() }),
});

export const postDocuments = defineRoute({
  operation: 'createDocument',
  timeoutMs: timeLimitsMs.createDocument,
  summary: 'Issue a document',
  description:
    'Issues the next document of its series and answers with it. Sent again with the same Idempotency-Key and the same body, it answers with the same document and issues nothing.',
  method: 'POST',
  path: '/documents',
  scope: 'documents:write',
  issues: true,
  idempotent: true,
  successStatus: 201,
  body: CreateDocument,
  reply: NewDocument,
  errors: ['payload_too_large', 'missing_idempotency_key', 'invalid_json', ...issueDocument.errors],
});

export const postDocumentPreview = defineRoute({
  operation: 'previewDocument',
  summary: 'Check a document without issuing it',
  description:
    'Takes the body of `POST /documents` and makes the same checks in the same order, for a document that is not issued: no number is taken, no customer card is opened, nothing is written and nothing is sent. It counts for the rate limit and not for the documents of the day. There is no number in the answer: no one knows it before.',
  method: 'POST',
  path: '/documents/preview',
  scope: 'documents:write',
  issues: true,
  body: CreateDocument,
  reply: DocumentPreview,
  errors: ['payload_too_large', 'invalid_json', ...previewDocument.errors],
});

export const getDocuments = defineRoute({
  operation: 'listDocuments',
  summary: 'The documents of the business, newest first',
  description:
    'Newest first by issue, a page at a time. Documents that are issued meanwhile make no page skip or repeat one. Who reads from the newest to the last one that it has seen misses none.',
  path: '/documents',
  scope: 'documents:read',
  query: DocumentQuery,
  reply: DocumentPage,
  errors: ['validation_error'],
});

export const getDocumentById = defineRoute({
  operation: 'getDocument',
  summary: 'One document with its items and payments',
  description: 'A document of another business does not exist.',
  path: '/documents/:id',
  scope: 'documents:read',
  reply: DocumentDetail,
  errors: ['not_found'],
});

export const postDocumentCancel = defineRoute({
  operation: 'cancelDocument',
  timeoutMs: timeLimitsMs.cancelDocument,
  summary: 'Cancel a quote, an order, a delivery note, a return note or a proforma',
  description: 'Accounting documents are never cancelled: they are reversed by a credit note.',
  method: 'POST',
  path: '/documents/:id/cancel',
  scope: 'documents:write',
  body: CancelDocument,
  bodyOptional: true,
  reply: CancelledDocument,
  errors: ['payload_too_large', 'invalid_json', 'validation_error', ...cancelDocument.errors],
});

export const getCustomers = defineRoute({
  operation: 'searchCustomers',
  summary: 'The customers of the business, by name or tax id',
  description: 'In the order of their names.',
  path: '/customers',
  scope: 'customers:read',
  query: CustomerQuery,
  reply: CustomerList,
  errors: ['validation_error'],
});

export const getRequestById = defineRoute({
  operation: 'getRequest',
  summary: 'One request of this key, as it was answered',
  description: `Kept for ${requestLogDays} days, and readable about a second after the answer. Only the key that sent a request reads it. Where several had this id, the answer is the latest.`,
  path: '/requests/:request_id',
  reply: LoggedRequest,
  errors: ['not_found'],
});

/** The refusals that every route with access for keys can answer with. */
export const errorsOfEveryRoute = [
  'api_disabled',
  'unauthorized',
  'key_revoked',
  'rate_limited',
  'business_archived',
  'external_provider_not_supported',
  'business_profile_incomplete',
  'subscription_required',
  'issuing_blocked_expenses_only',
  'insufficient_scope',
  'engine_error',
  'internal_error',
] as const;

/** The refusals that every route with access for anyone can answer with. */
export const errorsOfPublicRoutes = [
  'rate_limited',
  'validation_error',
  'engine_error',
  'internal_error',
] as const;
