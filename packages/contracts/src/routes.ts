import Type, { type Static } from 'typebox';
import { deliveryChannels } from './business.js';
import { defineRoute, scopes } from './define.js';
import {
  AllocationOutcome,
  CreateDocument,
  DeliveryOutcome,
  documentStatuses,
  paymentMethods,
} from './document.js';
import { documentTypes } from './document-types.js';
import { CalendarDate, Instant, Money, Nullable, Strict, Uuid } from './fields.js';
import { issueDocument } from './services.js';

/** The error object (interface 2.8). */
export const ErrorBody = Strict({
  error: Strict({
    code: Type.String(),
    message: Type.String(),
    message_he: Type.String(),
    hint: Type.Optional(Type.String()),
    retryable: Type.Boolean(),
    doc_url: Type.String(),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
  request_id: Uuid,
});
export type ErrorBody = Static<typeof ErrorBody>;

/** The business profile (interface 2.2). */
export const Profile = Strict({
  business: Strict({
    id: Uuid,
    name: Type.String(),
    legal_type: Type.String(),
    legal_type_he: Type.String(),
    tax_id: Nullable(Type.String()),
    vat_rate: Type.Number(),
    prices_include_vat: Type.Boolean(),
  }),
  allowed_document_types: Type.Array(Type.Enum([...documentTypes])),
  tax_authority_connected: Type.Boolean(),
  allocation_threshold_net: Money,
  auto_send: Strict({
    enabled: Type.Boolean(),
    channel: Type.Enum([...deliveryChannels]),
    quiet_hours: Nullable(Type.String()),
  }),
  limits: Strict({
    per_minute: Type.Integer(),
    daily_documents: Type.Integer(),
    used_today: Type.Integer(),
  }),
  key: Strict({
    name: Type.String(),
    prefix: Type.String(),
    scopes: Type.Array(Type.Enum([...scopes])),
    created_at: Instant,
  }),
});
export type Profile = Static<typeof Profile>;

const documentFields = {
  id: Uuid,
  public_id: Type.String(),
  type: Type.Enum([...documentTypes]),
  number: Type.Integer({ minimum: 1 }),
  status: Type.Enum([...documentStatuses]),
  date: CalendarDate,
  due_date: Nullable(CalendarDate),
  external_ref: Nullable(Type.String()),
  customer: Strict({
    id: Nullable(Uuid),
    name: Nullable(Type.String()),
    tax_id: Nullable(Type.String()),
  }),
  totals: Strict({
    subtotal: Money,
    discount: Money,
    vat: Money,
    /** Percent. */
    vat_rate: Type.Number(),
    total: Money,
    paid: Money,
    currency: Type.Literal('ILS'),
  }),
  allocation_number: Nullable(Type.String()),
  view_url: Type.String(),
  pdf_url: Type.String(),
  based_on: Nullable(Uuid),
  cancelled_at: Nullable(Instant),
  created_at: Instant,
};

/** What POST /documents answers (interface 2.4, with allocation and delivery). */
export const CreatedDocument = Strict({
  ...documentFields,
  allocation: AllocationOutcome,
  delivery: DeliveryOutcome,
});
export type CreatedDocument = Static<typeof CreatedDocument>;

/** What GET /documents/{id} answers (interface 2.4, with items, payments, title and notes). */
export const DocumentDetail = Strict({
  ...documentFields,
  title: Nullable(Type.String()),
  notes: Nullable(Type.String()),
  items: Type.Array(
    Strict({
      description: Type.String(),
      quantity: Type.Number(),
      unit_price: Money,
      line_total: Money,
      sku: Nullable(Type.String()),
    }),
  ),
  payments: Type.Array(
    Strict({
      method: Type.Enum([...paymentMethods]),
      amount: Money,
      date: CalendarDate,
      reference: Nullable(Type.String()),
      check_number: Nullable(Type.String()),
      bank_code: Nullable(Type.Integer()),
      card_last_digits: Nullable(Type.String()),
    }),
  ),
});
export type DocumentDetail = Static<typeof DocumentDetail>;

export const getMe = defineRoute({
  method: 'GET',
  path: '/me',
  scope: null,
  issues: false,
  successStatus: 200,
  body: null,
  reply: Profile,
  problems: [],
});

export const postDocuments = defineRoute({
  method: 'POST',
  path: '/documents',
  scope: 'documents:write',
  issues: true,
  successStatus: 201,
  body: CreateDocument,
  reply: CreatedDocument,
  problems: ['payload_too_large', 'missing_idempotency_key', 'invalid_json', ...issueDocument.problems],
});

export const getDocumentById = defineRoute({
  method: 'GET',
  path: '/documents/:id',
  scope: 'documents:read',
  issues: false,
  successStatus: 200,
  body: null,
  reply: DocumentDetail,
  problems: ['not_found'],
});

/** The refusals that every authenticated route can answer with. */
export const problemsOfEveryRoute = [
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
