import { type DocumentType, documentTypeRules } from '@pinkas/domain';
import type { Static } from 'typebox';
import { type ErrorCode, type ErrorEntry, errorCatalogue } from '../errors.js';
import { type ApiEvent, type EventType, eventSchemas, eventTypes } from '../http/events.js';
import type {
  CancelledDocument,
  CreatedDocument,
  CustomerList,
  DocumentDetail,
  DocumentPage,
  DocumentPreview,
  DocumentTypeEntry,
  ErrorBody,
  ErrorCatalogueEntry,
  NewDocument,
  Profile,
} from '../http/routes.js';
import type { CancelDocument, DonationOutcome } from '../schema/document.js';
import { type ErrorDetailMember, errorDetailFields } from '../schema/error-details.js';
import { sentenceOf } from '../schema/error-sentences.js';
import { type LoggedRequest, maskedText } from '../schema/logged-request.js';
import { type PreviewWarning, previewWarningTexts } from '../schema/preview-warnings.js';
import { company, exampleInvoiceId, person } from './create-examples.js';

export * from './create-examples.js';

const exampleCustomerId = '00000000-0000-4000-8000-00000000000c';
const exampleRequestId = '00000000-0000-4000-8000-00000000000a';

/** A request to cancel. */
export const cancelDocumentExample: CancelDocument = { reason: 'הוזמן בטעות' };

const warningOf = (code: PreviewWarning): DocumentPreview['warnings'][number] => {
  const { message, messageHe } = previewWarningTexts[code];
  return { code, message, message_he: messageHe };
};

const invoiceReceipt: CancelledDocument = {
  id: '00000000-0000-4000-8000-000000000001',
  public_id: 'ExamplePublicId0000001',
  type: 'tax_invoice_receipt',
  number: 1001,
  status: 'closed',
  date: '2026-03-01',
  due_date: null,
  external_ref: 'order-1044',
  customer: { id: exampleCustomerId, name: person.name, tax_id: null },
  totals: { subtotal: 200, discount: 0, vat: 36, vat_rate: 18, total: 236, paid: 236, currency: 'ILS' },
  allocation_number: null,
  view_url: 'https://api.example.com/d/ExamplePublicId0000001',
  pdf_url: 'https://api.example.com/pdf/ExamplePublicId0000001',
  based_on: null,
  cancelled_at: null,
  created_at: '2026-03-01T08:30:00.000Z',
};

const createdInvoiceReceipt: CreatedDocument = {
  ...invoiceReceipt,
  allocation: { status: 'not_required', number: null, reason: 'The net is not above the threshold.' },
  delivery: { status: 'queued', channel: 'email', scheduled_for: null },
};

const createdInvoice: CreatedDocument = {
  ...invoiceReceipt,
  id: exampleInvoiceId,
  public_id: 'ExamplePublicId0000007',
  type: 'tax_invoice',
  number: 207,
  status: 'open',
  due_date: '2026-03-31',
  external_ref: 'order-1043',
  customer: { id: '00000000-0000-4000-8000-00000000000d', name: company.name, tax_id: company.tax_id },
  totals: { subtotal: 6000, discount: 0, vat: 1080, vat_rate: 18, total: 7080, paid: 0, currency: 'ILS' },
  allocation_number: '123456789',
  view_url: 'https://api.example.com/d/ExamplePublicId0000007',
  pdf_url: 'https://api.example.com/pdf/ExamplePublicId0000007',
  created_at: '2026-03-01T20:15:00.000Z',
  allocation: { status: 'issued', number: '123456789', reason: null },
  delivery: {
    status: 'deferred_quiet_hours',
    channel: 'email',
    scheduled_for: '2026-03-02T06:00:00.000Z',
  },
};

const previewedInvoice: DocumentPreview = {
  type: 'tax_invoice',
  date: createdInvoice.date,
  due_date: createdInvoice.due_date,
  totals: createdInvoice.totals,
  allocation: { status: 'skipped_customer_tax_id_missing' },
  delivery: { status: 'queued', channel: 'email', scheduled_for: null },
  customer: { id: null, matched_by: null },
  warnings: [warningOf('number_customer_tax_id_missing')],
};

const cancelledQuote: CancelledDocument = {
  ...invoiceReceipt,
  id: '00000000-0000-4000-8000-000000000002',
  public_id: 'ExamplePublicId0000002',
  type: 'quote',
  number: 58,
  status: 'cancelled',
  external_ref: null,
  totals: { subtotal: 600, discount: 60, vat: 97.2, vat_rate: 18, total: 637.2, paid: 0, currency: 'ILS' },
  view_url: 'https://api.example.com/d/ExamplePublicId0000002',
  pdf_url: 'https://api.example.com/pdf/ExamplePublicId0000002',
  cancelled_at: '2026-03-02T09:00:00.000Z',
};

const detail: DocumentDetail = {
  ...createdInvoiceReceipt,
  title: null,
  notes: null,
  items: [{ description: 'שירות לדוגמה', quantity: 2, unit_price: 118, line_total: 236, sku: null }],
  payments: [
    {
      method: 'credit_card',
      amount: 200,
      date: '2026-03-01',
      reference: null,
      check_number: null,
      bank_code: null,
      card_last_digits: '1234',
    },
    {
      method: 'cash',
      amount: 36,
      date: '2026-03-01',
      reference: null,
      check_number: null,
      bank_code: null,
      card_last_digits: null,
    },
  ],
};

const profile: Profile = {
  mode: 'live',
  business: {
    id: '00000000-0000-4000-8000-00000000000b',
    name: 'עסק לדוגמה',
    legal_type: 'osek_murshe',
    legal_type_he: 'עוסק מורשה',
    tax_id: '999999998',
    vat_rate: 18,
    prices_include_vat: true,
  },
  allowed_document_types: Object.keys(documentTypeRules) as DocumentType[],
  tax_authority_connected: true,
  allocation_threshold_net: 5000,
  auto_send: { enabled: true, channel: 'email', quiet_hours: '21:00-08:00' },
  limits: { per_minute: 60, daily_documents: 300, used_today: 12 },
  key: {
    name: 'shop',
    prefix: 'pk_live_EXAMPLE0',
    scopes: ['documents:write', 'documents:read', 'customers:read'],
    created_at: '2026-01-01T10:00:00.000Z',
  },
};

const typeEntry = (type: DocumentType): DocumentTypeEntry => {
  const rules = documentTypeRules[type];
  return {
    type,
    name: rules.name,
    name_he: rules.nameHe,
    requires_payments: rules.payments === 'required',
    allows_discount: rules.discount === 'allowed',
    based_on_types: [...rules.sources],
    based_on_required: rules.sourceRequired,
  };
};

const customers: CustomerList = {
  data: [
    {
      id: '00000000-0000-4000-8000-00000000000d',
      name: company.name,
      tax_id: company.tax_id,
      legal_type: company.legal_type,
      email: company.email,
      phone: null,
      city: company.city,
    },
  ],
};

const eventParts = {
  document: createdInvoice,
  closed_by: '00000000-0000-4000-8000-000000000003',
  allocation: { status: 'issued', number: '123456789', reason: null },
  donation: { status: 'reported', number: '405123456789', reason: null },
  delivery: {
    channel: 'email',
    purpose: 'customer',
    recipient: 'c***@example.com',
    attempt: 1,
    reason: null,
  },
  connection: { valid_until: '2026-03-15T10:00:00.000Z' },
} as const satisfies Required<ApiEvent['data']>;

const refusedDonation: DonationOutcome = {
  status: 'refused',
  number: null,
  reason: 'refused: The id of the donor is not known.',
};

/** A receipt with what has become of its donation. */
const donationReceipt = (donation: DonationOutcome) => ({
  ...createdInvoice,
  type: 'donation_receipt' as const,
  status: 'closed' as const,
  due_date: null,
  totals: { ...createdInvoice.totals, subtotal: 236, vat: 0, vat_rate: 0, paid: 236 },
  donation,
});

const noNumber = (status: 'refused' | 'failed', reason: string) => ({
  allocation: { status, number: null, reason },
});

const eventChanges: { readonly [T in EventType]?: ApiEvent['data'] } = {
  'document.cancelled': {
    document: {
      ...cancelledQuote,
      allocation: { status: 'not_required', number: null, reason: 'A quote gets no allocation number.' },
      delivery: { status: 'no_recipient', channel: null, scheduled_for: null },
    },
  },
  'document.closed': { document: { ...createdInvoice, status: 'closed' } },
  'allocation.refused': noNumber('refused', 'refused: The VAT number is not registered.'),
  'allocation.failed': noNumber('failed', 'The tax authority did not answer.'),
  'donation.reported': { document: donationReceipt(eventParts.donation) },
  'donation.refused': {
    document: donationReceipt(refusedDonation),
    donation: refusedDonation,
  },
  'delivery.failed': {
    delivery: { ...eventParts.delivery, reason: '550 5.1.1 The address does not exist.' },
  },
  'authority.disconnected': { connection: { valid_until: null } },
};

/** An event of a type. */
export function eventExample(type: EventType): ApiEvent {
  const members = Object.keys(eventSchemas[type].properties.data.properties) as (keyof ApiEvent['data'])[];
  return {
    id: `evt_${String(eventTypes.indexOf(type) + 1).padStart(32, '0')}`,
    type,
    timestamp: '2026-03-01T20:15:00.000Z',
    mode: 'live',
    business_id: profile.business.id,
    data: {
      ...Object.fromEntries(members.map((member) => [member, eventParts[member]])),
      ...eventChanges[type],
    },
  };
}

const refusedRequest: LoggedRequest = {
  request_id: exampleRequestId,
  timestamp: '2026-03-01T08:30:00.000Z',
  method: 'POST',
  route: '/documents',
  status: 400,
  code: 'validation_error',
  idempotency_key: 'order-1044',
  replayed: false,
  document_id: null,
  duration_ms: 4,
  errors: [{ path: '/items/0/quantity', ...sentenceOf('exclusiveMinimum', { limit: 0 }) }],
  body: {
    type: 'quote',
    customer: { name: maskedText },
    items: [{ description: maskedText, quantity: 0, unit_price: 118 }],
  },
  body_truncated: false,
};

const errorDetailExamples: { readonly [M in ErrorDetailMember]: Static<(typeof errorDetailFields)[M]> } = {
  payment_url: 'https://example.com/subscription',
  errors: [{ path: '/items/0/quantity', ...sentenceOf('exclusiveMinimum', { limit: 0 }) }],
  existing_customer_id: exampleCustomerId,
  total: 236,
  allowed_source_types: ['tax_invoice', 'tax_invoice_receipt'],
  computed_total: 236,
  last_document_date: '2026-03-01',
};

const isDetailMember = (member: string): member is ErrorDetailMember =>
  Object.hasOwn(errorDetailFields, member);

/** The answer of a refusal with this code. */
export function errorExample(code: ErrorCode, docsUrl: string): ErrorBody {
  const entry: ErrorEntry = errorCatalogue[code];
  const details = entry.details
    .filter(isDetailMember)
    .map((member) => [member, errorDetailExamples[member]] as const);
  return {
    error: {
      code,
      message: entry.message,
      message_he: entry.messageHe,
      ...(entry.hint === undefined ? {} : { hint: entry.hint }),
      retryable: entry.retryable,
      doc_url: `${docsUrl}/errors#${code}`,
      ...(details.length === 0 ? {} : { details: Object.fromEntries(details) }),
    },
    request_id: exampleRequestId,
  };
}

function catalogueEntry(code: ErrorCode, docsUrl: string): ErrorCatalogueEntry {
  const entry: ErrorEntry = errorCatalogue[code];
  return {
    code,
    http_status: entry.httpStatus,
    retryable: entry.retryable,
    message: entry.message,
    message_he: entry.messageHe,
    hint: entry.hint ?? null,
    doc_url: `${docsUrl}/errors#${code}`,
    details: [...entry.details],
  };
}

/** One example with the line above it. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/**
 * What each operation answers, by its name and then by the name of the example.
 * @param docsUrl the address of the documentation.
 */
export function replyExamples(docsUrl: string) {
  return {
    getMe: { profile: { summary: 'A licensed dealer', value: profile } },
    listDocumentTypes: {
      types: {
        summary: 'Two of the types',
        value: { data: (['quote', 'credit_note'] as const).map(typeEntry) },
      },
    },
    listErrors: {
      errors: {
        summary: 'Two of the codes',
        value: {
          data: (['total_mismatch', 'already_cancelled'] as const).map((item) =>
            catalogueEntry(item, docsUrl),
          ),
        },
      },
    },
    getOpenApi: { document: { summary: 'Its first line', value: { openapi: '3.1.0' } } },
    createDocument: {
      tax_invoice_receipt: {
        summary: 'Paid, and too small for an allocation number',
        value: { ...createdInvoiceReceipt, warnings: [] } satisfies NewDocument,
      },
      tax_invoice: {
        summary: 'With an allocation number, issued within quiet hours',
        value: { ...createdInvoice, warnings: [warningOf('date_in_past')] } satisfies NewDocument,
      },
    },
    previewDocument: {
      tax_invoice: { summary: 'A new customer without a tax id', value: previewedInvoice },
    },
    listDocuments: {
      page: {
        summary: 'A page that is not the last',
        value: {
          data: [createdInvoice, createdInvoiceReceipt],
          next_cursor: 'ExampleCursor',
        } satisfies DocumentPage,
      },
    },
    getDocument: { tax_invoice_receipt: { summary: 'A paid document', value: detail } },
    cancelDocument: { quote: { summary: 'A cancelled quote', value: cancelledQuote } },
    listEvents: {
      page: {
        summary: 'The last page: its cursor is where to go on',
        value: {
          data: [eventExample('document.issued'), eventExample('delivery.sent')],
          next_cursor: 'ExampleCursor',
        },
      },
    },
    getEvent: { event: { summary: 'An allocation number', value: eventExample('allocation.issued') } },
    getRequest: { refused: { summary: 'A refused request', value: refusedRequest } },
    searchCustomers: { customers: { summary: 'One match', value: customers } },
  } as const satisfies Record<string, Record<string, Example>>;
}
