import Type, { type Static } from 'typebox';
import { Business, BusinessChange, LogoRef } from './business.js';
import { defineContract, defineEvent, scopes } from './define.js';
import {
  AllocationOutcome,
  CreateDocument,
  CustomerInput,
  CustomerSnapshot,
  DeliveryOutcome,
  DocumentHead,
  DocumentState,
  IssuedDocument,
} from './document.js';
import { customerLegalTypes, documentTypes } from './document-types.js';
import { CalendarDate, Instant, Nullable, Strict, Uuid } from './fields.js';

/* Issuing: the book. */

/** A document with what is known of it now. */
export const DocumentView = Strict({ document: IssuedDocument, state: DocumentState });
export type DocumentView = Static<typeof DocumentView>;

/** Issues the next document of a series, or replays the one that the key issued before. */
export const issueDocument = defineContract('issuing.document.issue', {
  request: Strict({
    business: Business,
    key: Strict({ id: Uuid, daily_documents: Type.Integer({ minimum: 0 }) }),
    idempotency_key: Type.String({ minLength: 1, maxLength: 128 }),
    body: CreateDocument,
  }),
  reply: Strict({
    document: IssuedDocument,
    /** The state at the time of issue: a replay answers with the same. */
    state: DocumentState,
    allocation: AllocationOutcome,
    delivery: DeliveryOutcome,
    replayed: Type.Boolean(),
  }),
  problems: [
    'validation_error',
    'idempotency_key_reused',
    'request_in_progress',
    'legal_type_forbidden',
    'payments_required',
    'payments_not_allowed',
    'discount_not_allowed',
    'based_on_required',
    'invalid_customer_tax_id',
    'future_date',
    'based_on_not_found',
    'based_on_type_not_allowed',
    'based_on_cancelled',
    'total_mismatch',
    'payments_total_mismatch',
    'customer_not_found',
    'customer_identity_conflict',
    'daily_limit_reached',
    'date_before_last_document',
    'document_generation_failed',
  ],
  timeoutMs: 30_000,
});

/** One document of one business. */
export const getDocument = defineContract('issuing.document.get', {
  request: Strict({ business_id: Uuid, document_id: Uuid }),
  reply: DocumentView,
  problems: ['not_found'],
});

/** Where a document stands in the order of issue: at an instant, and among those of one instant by its id. */
export const IssuePosition = Strict({ issued_at: Instant, id: Uuid });
export type IssuePosition = Static<typeof IssuePosition>;

/** The documents of one business, the one that was issued last first, a page at a time. */
export const listDocuments = defineContract('issuing.document.list', {
  request: Strict({
    business_id: Uuid,
    type: Type.Optional(Type.Enum([...documentTypes])),
    /** Document dates, both inclusive. */
    from: Type.Optional(CalendarDate),
    to: Type.Optional(CalendarDate),
    external_ref: Type.Optional(Type.String()),
    include_cancelled: Type.Boolean(),
    limit: Type.Integer({ minimum: 1, maximum: 100 }),
    /** Only documents that were issued before this one. */
    before: Nullable(IssuePosition),
  }),
  reply: Strict({
    documents: Type.Array(
      Strict({
        document: DocumentHead,
        state: DocumentState,
        /** What is known of both now. */
        allocation: AllocationOutcome,
        delivery: DeliveryOutcome,
      }),
    ),
    /** Ask again with `before` to go on; null where no older document is left. */
    next_before: Nullable(IssuePosition),
  }),
});

/** Cancels a document that is no accounting document. */
export const cancelDocument = defineContract('issuing.document.cancel', {
  request: Strict({
    business_id: Uuid,
    document_id: Uuid,
    reason: Nullable(Type.String({ maxLength: 200 })),
  }),
  reply: Strict({ document: DocumentHead, state: DocumentState }),
  problems: ['not_found', 'use_credit_note', 'already_cancelled', 'linked_document_closed'],
  // It may have to wait for a document that is being based on this one, and rendered.
  timeoutMs: 20_000,
});

/** The document behind a public address; the address itself is the permission. */
export const findPublicDocument = defineContract('issuing.document.find', {
  request: Strict({ public_id: Type.String({ minLength: 1, maxLength: 64 }) }),
  reply: Strict({ ...DocumentView.properties, business: Business }),
  problems: ['not_found'],
});

/** How many documents a key issued today (Israel). */
export const getUsage = defineContract('issuing.usage.get', {
  request: Strict({ business_id: Uuid, key_id: Uuid }),
  reply: Strict({ used_today: Type.Integer({ minimum: 0 }) }),
});

/** The series that have a document already. */
export const listSeries = defineContract('issuing.series.list', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({
    series: Type.Array(
      Strict({ type: Type.Enum([...documentTypes]), next_number: Type.Integer(), last_date: CalendarDate }),
    ),
  }),
});

/** A document was issued. Starts every step after the commit. */
export const documentIssued = defineEvent(
  'issuing.document.issued',
  Strict({ document: IssuedDocument, business: Business }),
);

/** A document was cancelled; its page and its PDF say so. */
export const documentCancelled = defineEvent(
  'issuing.document.cancelled',
  Strict({ document: IssuedDocument, business: Business, cancelled_at: Instant }),
);

/* Customer: the cards. */

/**
 * Finds the card that a request speaks of, or reserves a new one. A reserved card becomes a card only when a document
 * is issued to it.
 */
export const resolveCustomer = defineContract('customer.card.resolve', {
  request: Strict({
    business_id: Uuid,
    customer: CustomerInput,
    /** Who reserves: the id that the document will bear if it is issued. */
    document_id: Uuid,
  }),
  reply: Strict({ customer: CustomerSnapshot }),
  problems: ['customer_not_found', 'customer_identity_conflict'],
  // It may wait for another request that is about to write the same tax id on another card.
  timeoutMs: 7_000,
});

/** The card of an issued document is written: whoever asks for it from now on finds it, with what the document told. */
export const customerRecorded = defineEvent(
  'customer.card.recorded',
  Strict({ document_id: Uuid, business_id: Uuid, customer_id: Uuid }),
);

/** Gives back what `resolveCustomer` reserved for a document that will not be issued after all. */
export const releaseCustomer = defineContract('customer.card.release', {
  request: Strict({ business_id: Uuid, document_id: Uuid }),
  reply: Strict({}),
});

/** A customer card as a search tells of it (interface 2.5). */
export const CustomerCard = Strict({
  id: Uuid,
  name: Type.String(),
  tax_id: Nullable(Type.String(), 'Nine digits.'),
  legal_type: Nullable(Type.Enum([...customerLegalTypes])),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  city: Nullable(Type.String()),
});
export type CustomerCard = Static<typeof CustomerCard>;

/** The customers of a business whose name contains a text, or who bear it as tax id; in the order of their names. */
export const searchCustomers = defineContract('customer.card.search', {
  request: Strict({
    business_id: Uuid,
    /** Null: every customer. */
    query: Nullable(Type.String({ minLength: 1 })),
    limit: Type.Integer({ minimum: 1, maximum: 50 }),
  }),
  reply: Strict({ customers: Type.Array(CustomerCard) }),
});

/* Rendering: the PDF and the page. */

/** Renders, signs and stores the first PDF of a document that is being issued. */
export const renderArtifact = defineContract('rendering.artifact.render', {
  request: Strict({ document: IssuedDocument, business: Business }),
  reply: Strict({
    revision: Type.Integer({ minimum: 1 }),
    /** Hex. */
    sha256: Type.String(),
    size_bytes: Type.Integer(),
    render_ms: Type.Number(),
    sign_ms: Type.Number(),
  }),
  problems: ['document_generation_failed'],
  timeoutMs: 8_000,
});

/** One signed PDF of a document. */
const SignedPdf = Strict({
  revision: Type.Integer({ minimum: 1 }),
  /** Hex. */
  sha256: Type.String(),
  /** Base64. */
  pdf: Type.String(),
  /** Whether it says that its document is cancelled. */
  cancelled: Type.Boolean(),
});

/** The latest signed PDF of a document. */
export const getArtifact = defineContract('rendering.artifact.get', {
  request: Strict({ business_id: Uuid, document_id: Uuid }),
  reply: SignedPdf,
  problems: ['not_found'],
});

/**
 * The latest signed PDF of a document, for a message that goes to the customer. Who asks may have handed it over: every
 * revision that is made from here on is a copy.
 */
export const handOverArtifact = defineContract('rendering.artifact.hand_over', {
  request: Strict({ business_id: Uuid, document_id: Uuid }),
  reply: SignedPdf,
  problems: ['not_found'],
});

/** The signed PDF of a cancelled document that says so; made where there is none yet. */
export const cancelArtifact = defineContract('rendering.artifact.cancel', {
  request: Strict({ document: IssuedDocument, business: Business, cancelled_at: Instant }),
  reply: SignedPdf,
  problems: ['not_found', 'document_generation_failed'],
  timeoutMs: 8_000,
});

/** The hosted page of a document, as HTML. */
export const renderPage = defineContract('rendering.page.render', {
  request: Strict({
    document: IssuedDocument,
    state: DocumentState,
    business: Business,
    pdf_url: Type.String(),
    /** What its reader asked for; without it, the language of the business. */
    language: Type.Optional(Type.Enum(['he', 'en'])),
  }),
  reply: Strict({ html: Type.String() }),
});

/** Checks a picture of a business, cleans it, and keeps what is left; the same picture again is the same reference. */
export const keepLogo = defineContract('rendering.logo.keep', {
  request: Strict({
    business_id: Uuid,
    /** `data:image/png;base64,…` or `data:image/svg+xml;base64,…` */
    logo: Type.String({ maxLength: 100_000 }),
  }),
  reply: LogoRef,
  problems: ['validation_error'],
});

/** The PDF that goes to the customer is final: the first one, or a new one that bears the allocation number. */
export const artifactRendered = defineEvent(
  'rendering.artifact.rendered',
  Strict({
    document_id: Uuid,
    business_id: Uuid,
    revision: Type.Integer({ minimum: 1 }),
    sha256: Type.String(),
    allocation_number: Nullable(Type.String()),
  }),
);

/* Allocation: the tax authority. */

/** The question of the allocation number has an answer, for now or for good. */
export const allocationSettled = defineEvent(
  'allocation.document.settled',
  Strict({ document: IssuedDocument, business: Business, allocation: AllocationOutcome }),
);

/* Delivery: what leaves the house. */

/** It is decided what will be sent, and when. */
export const deliveryPlanned = defineEvent(
  'delivery.document.planned',
  Strict({ document_id: Uuid, business_id: Uuid, delivery: DeliveryOutcome }),
);

const deliveryStep = {
  document_id: Uuid,
  business_id: Uuid,
  delivery_id: Uuid,
  channel: Type.Enum(['email', 'whatsapp']),
  purpose: Type.Enum(['customer', 'accountant']),
};

/** One message was accepted by its provider. */
export const messageSent = defineEvent('delivery.message.sent', Strict(deliveryStep));
/** One message was refused for good, or given up. */
export const messageFailed = defineEvent(
  'delivery.message.failed',
  Strict({ ...deliveryStep, reason: Type.String() }),
);

/* Gateway: businesses and keys, for the operator. */

const BusinessReply = Strict({ business: Business });

export const createBusiness = defineContract('gateway.business.create', {
  request: Strict({ business: BusinessChange }),
  reply: BusinessReply,
  problems: ['validation_error'],
  unknownMembers: 'refused',
});

export const updateBusiness = defineContract('gateway.business.update', {
  request: Strict({ business_id: Uuid, change: BusinessChange }),
  reply: BusinessReply,
  problems: ['validation_error', 'not_found'],
  unknownMembers: 'refused',
});

export const showBusiness = defineContract('gateway.business.show', {
  request: Strict({ business_id: Uuid }),
  reply: BusinessReply,
  problems: ['not_found'],
});

export const listBusinesses = defineContract('gateway.business.list', {
  request: Strict({ after: Type.Optional(Uuid) }),
  reply: Strict({
    businesses: Type.Array(Business),
    /** Ask again with `after` to go on; null at the end. */
    next_after: Nullable(Uuid),
  }),
});

/** An API key without its value. */
export const ApiKey = Strict({
  id: Uuid,
  business_id: Uuid,
  name: Type.String(),
  /** The leading characters of the key, safe to show. */
  prefix: Type.String(),
  scopes: Type.Array(Type.Enum([...scopes])),
  per_minute: Type.Integer(),
  daily_documents: Type.Integer(),
  created_at: Instant,
  revoked_at: Nullable(Instant),
});
export type ApiKey = Static<typeof ApiKey>;

export const createKey = defineContract('gateway.key.create', {
  request: Strict({
    business_id: Uuid,
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
    scopes: Type.Optional(Type.Array(Type.Enum([...scopes]), { minItems: 1, uniqueItems: true })),
    per_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    daily_documents: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })),
  }),
  /** `key` is the key's value: shown this once, stored nowhere. */
  reply: Strict({ ...ApiKey.properties, key: Type.String() }),
  problems: ['validation_error', 'not_found'],
  unknownMembers: 'refused',
});

export const revokeKey = defineContract('gateway.key.revoke', {
  request: Strict({ key_id: Uuid }),
  reply: ApiKey,
  problems: ['not_found'],
});

export const listKeys = defineContract('gateway.key.list', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({ keys: Type.Array(ApiKey) }),
  problems: ['not_found'],
});

/** Turns the whole interface off, or on again, for every gateway at once. */
export const switchApi = defineContract('gateway.api.switch', {
  request: Strict({ enabled: Type.Boolean() }),
  reply: Strict({ enabled: Type.Boolean() }),
});
