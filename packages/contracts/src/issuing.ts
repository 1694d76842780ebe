import { documentTypes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { Sha256 } from './audit.js';
import { defineContract, defineEvent } from './define.js';
import type { ErrorCode } from './errors.js';
import { SetOff, SetOffAmounts, Withheld, WithheldWithReceipt } from './issuing-set-offs.js';
import { Business } from './schema/business.js';
import {
  AllocationOutcome,
  CreateDocument,
  CustomerMatch,
  CustomerSnapshot,
  DeliveryOutcome,
  DocumentHead,
  DocumentState,
  DonationOutcome,
  DraftDocument,
  IssuedDocument,
  ListedDocument,
  PreviewedAllocation,
} from './schema/document.js';
import {
  CalendarDate,
  Instant,
  Money,
  Nullable,
  PersonId,
  Strict,
  TestBookId,
  Uuid,
} from './schema/fields.js';
import { firstWarnings } from './schema/preview-warnings.js';
import { timeLimitsMs } from './time-limits.js';

export * from './issuing-accounts.js';
export * from './issuing-book.js';
export * from './issuing-lists.js';
export * from './issuing-set-offs.js';

/** A document with what is known of it now. */
export const DocumentView = Strict({ document: IssuedDocument, state: DocumentState });
export type DocumentView = Static<typeof DocumentView>;

/** Who asks for a document. */
export const Issuer = Type.Union([
  /** An API key: its documents of a day are counted and bounded. */
  Strict({ kind: Type.Literal('key'), id: Uuid, daily_documents: Type.Integer({ minimum: 0 }) }),
  /** A person of the console, whose documents are in the trail as `document.issue`. */
  Strict({ kind: Type.Literal('person'), id: Uuid }),
]);
export type Issuer = Static<typeof Issuer>;

/** The errors of issuing that no preview has: they are about an idempotency key, or about the PDF. */
const onlyOfIssuing: readonly ErrorCode[] = [
  'idempotency_key_reused',
  'request_in_progress',
  'document_generation_failed',
];

/** Issues the next document of a series, or replays the one that the key issued before. */
export const issueDocument = defineContract('issuing.document.issue', {
  request: Strict({
    business: Business,
    issuer: Issuer,
    idempotency_key: Type.String({ minLength: 1, maxLength: 128 }),
    body: CreateDocument,
    /** The `fingerprint`, in hex, of what the caller sent: of the body with members that this release may not know. */
    body_sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
    /**
     * Of a receipt that is based on no document: what of its payments is set at once against documents on the account of its customer.
     * The fingerprint is then of all that was sent (`requestFingerprint`), so that no release leaves it out.
     */
    set_offs: Type.Optional(SetOffAmounts),
    /**
     * Of a receipt: the tax that its customer has withheld of what it settles, which it states. The document that it is based on, or
     * those on the account of its customer; at most what the receipt leaves to pay of each. Only the console asks for it.
     */
    withheld: Type.Optional(WithheldWithReceipt),
  }),
  reply: Strict({
    document: IssuedDocument,
    /** The state at the time of issue: a replay answers with the same. */
    state: DocumentState,
    allocation: AllocationOutcome,
    delivery: DeliveryOutcome,
    /** Codes, as the first reply had them; a reader leaves out those that it does not know. Absent: none were stored. */
    warnings: Type.Optional(Type.Array(Type.String())),
    replayed: Type.Boolean(),
  }),
  errors: [
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
  timeoutMs: timeLimitsMs.createDocument,
  // A key has one document.
  isRepeatable: true,
});

/**
 * Makes every check of `issueDocument` for a key that has issued nothing, in the same order, and shows what the document would be.
 * Nothing is written: no number, no card, no count.
 */
export const previewDocument = defineContract('issuing.document.preview', {
  request: Strict({
    business: Business,
    issuer: Issuer,
    body: CreateDocument,
    /** Whether its payments are still being filled in: they are neither required nor compared with the total. */
    payments_open: Type.Optional(Type.Boolean()),
    /** As for `issueDocument`. */
    withheld: Type.Optional(WithheldWithReceipt),
  }),
  reply: Strict({
    draft: DraftDocument,
    /** The number of the next document of the series, which may be another one. */
    next_number: Type.Integer({ minimum: 1 }),
    allocation: PreviewedAllocation,
    delivery: DeliveryOutcome,
    matched_by: CustomerMatch,
    warnings: Type.Array(Type.Enum([...firstWarnings])),
    /** Codes of warnings that were added since; a reader leaves out those that it does not know. */
    further_warnings: Type.Optional(Type.Array(Type.String())),
  }),
  errors: issueDocument.errors.filter((code) => !onlyOfIssuing.includes(code)),
});

/** What the newest documents of a business have for each article number, the one that was sold last first. */
export const listArticles = defineContract('issuing.article.list', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({
    articles: Type.Array(
      Strict({
        sku: Type.String(),
        description: Type.String(),
        /** ILS */
        unit_price: Money,
        prices_include_vat: Type.Boolean(),
      }),
    ),
  }),
});

/** One document of one business. */
export const getDocument = defineContract('issuing.document.get', {
  request: Strict({
    business_id: Uuid,
    document_id: Uuid,
    /** Whether the state has what only its page shows: how far it is settled, zero included, and why it was cancelled. */
    detailed: Type.Optional(Type.Boolean()),
    /** Whether the reply has the document as lists show it. */
    listed: Type.Optional(Type.Boolean()),
  }),
  reply: Strict({
    ...DocumentView.properties,
    /** Where the state is detailed: what is recorded of its allocation number; null: nothing yet. */
    allocation: Type.Optional(Nullable(AllocationOutcome)),
    /** Where the state is detailed: who issued it. */
    issuer: Type.Optional(Strict({ kind: Type.Enum(['key', 'person']), id: Uuid })),
    /** Where the state is detailed, and a key issued it. */
    idempotency_key: Type.Optional(Type.String()),
    /** Where it is asked for. */
    listed: Type.Optional(ListedDocument),
    /** Where the state is detailed: what is set against it, the latest first; absent where nothing is. */
    set_offs: Type.Optional(Type.Array(SetOff)),
    /** The same of tax that was withheld of it, and of a receipt with it. */
    withheld: Type.Optional(Type.Array(Withheld)),
  }),
  errors: ['not_found'],
});

/** The document that an idempotency key has issued in a book, whenever that was. */
export const findDocumentByKey = defineContract('issuing.document.find_by_key', {
  request: Strict({ business_id: Uuid, idempotency_key: Type.String({ minLength: 1, maxLength: 128 }) }),
  reply: Strict({
    /** Null: it has issued none. */
    found: Nullable(Strict({ document: DocumentHead, state: DocumentState })),
    /** Whether a request with the key is being worked on now. */
    in_progress: Type.Boolean(),
  }),
});

/** A document of any business, or of one, with all that is sent to the tax authority about it. */
export const getDocumentFacts = defineContract('issuing.document_facts.get', {
  request: Strict({
    document_id: Uuid,
    /** Only a document of this business; absent: of any. */
    business_id: Type.Optional(Uuid),
  }),
  reply: Strict({
    ...DocumentView.properties,
    /** As it was at issue. */
    business: Business,
    /** Of the PDF that was made when the document was issued. */
    artifact_sha256: Sha256,
  }),
  errors: ['not_found'],
});

/** Cancels a document that is no accounting document. */
export const cancelDocument = defineContract('issuing.document.cancel', {
  request: Strict({
    business_id: Uuid,
    document_id: Uuid,
    reason: Nullable(Type.String({ maxLength: 200 })),
    /** Whether the business wants events, by its settings now. */
    events: Type.Optional(Type.Boolean()),
    /** The API key of the caller, for the trail. */
    key_id: Type.Optional(Uuid),
    person_id: PersonId,
  }),
  reply: Strict({ document: DocumentHead, state: DocumentState }),
  errors: ['not_found', 'use_credit_note', 'already_cancelled', 'linked_document_closed'],
  // It may have to wait for a document that is being based on this one, and rendered.
  timeoutMs: timeLimitsMs.cancelDocument,
});

/**
 * Makes the donation of a receipt due for its report whose institution was not connected to the tax authority when it was issued, and is
 * now. A receipt that was due before stays as it is.
 */
export const reportDonation = defineContract('issuing.donation.report', {
  request: Strict({
    /** With its settings of now. */
    business: Business,
    document_id: Uuid,
    person_id: PersonId,
  }),
  /** `not_required`, with the reason: it is not reported now either. */
  reply: Strict({ donation: DonationOutcome }),
  errors: ['not_found'],
});

/** The document behind a public address; the address itself is the permission. */
export const findPublicDocument = defineContract('issuing.document.find', {
  request: Strict({ public_id: Type.String({ minLength: 1, maxLength: 64 }) }),
  reply: Strict({
    ...DocumentView.properties,
    /** As it was at issue. */
    business: Business,
    /** Of the PDF that was made when the document was issued. */
    artifact_sha256: Sha256,
  }),
  errors: ['not_found'],
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
      Strict({
        type: Type.Enum([...documentTypes]),
        /** Where it began, whatever the settings of the business say now. */
        first_number: Type.Integer(),
        next_number: Type.Integer(),
        last_date: CalendarDate,
      }),
    ),
  }),
});

/**
 * A document was issued. No service handles it: it is the record, outside of the database, of what the database has committed
 * (ADR 0046). The work after the commit starts from the events below, each published only where there is work (ADR 0058).
 */
export const documentIssued = defineEvent(
  'issuing.document.issued',
  Strict({
    business_id: Uuid,
    document_id: Uuid,
    type: Type.Enum([...documentTypes]),
    number: Type.Integer(),
    /** In the chain of its series. */
    hash: Sha256,
    /** Of the PDF that was made when the document was issued. */
    artifact_sha256: Sha256,
  }),
);

/** An issued document requires an allocation number. */
export const numberRequired = defineEvent(
  'issuing.number.required',
  Strict({
    document: IssuedDocument,
    business: Business,
    /** Of the PDF that was made when the document was issued. */
    artifact_sha256: Sha256,
  }),
);

/** The donation of an issued receipt is to be reported to the tax authority. */
export const donationDue = defineEvent(
  'issuing.donation.due',
  Strict({
    document: IssuedDocument,
    business: Business,
    /** Of the PDF that was made when the document was issued. */
    artifact_sha256: Sha256,
  }),
);

/** An issued document is to be sent, to the customer or to the accountant. */
export const messageDue = defineEvent(
  'issuing.message.due',
  Strict({
    document: IssuedDocument,
    business: Business,
    /** What the response says of the customer's copy. */
    delivery: DeliveryOutcome,
    /** Whether a number of the tax authority is required, for an invoice or a donation. If not, the first PDF is final. */
    number_required: Type.Boolean(),
    /** Of the PDF that was made when the document was issued. */
    artifact_sha256: Sha256,
  }),
);

/** An issued document states what the card of its customer does not have. */
export const cardChanged = defineEvent(
  'issuing.card.changed',
  Strict({ business_id: Uuid, document_id: Uuid, customer: CustomerSnapshot, issued_at: Instant }),
);

/** A document was cancelled; its page and its PDF say so. */
export const documentCancelled = defineEvent(
  'issuing.document.cancelled',
  Strict({
    document: IssuedDocument,
    business: Business,
    cancelled_at: Instant,
    /** As its caller gave it. */
    reason: Type.Optional(Type.String()),
  }),
);

/** Records in the trail that a business's book is exported. */
export const recordExport = defineContract('issuing.export.record', {
  request: Strict({
    business_id: Uuid,
    format: Type.String({ pattern: '^[a-z0-9-]{1,30}$' }),
    from: CalendarDate,
    to: CalendarDate,
    /** Of a part of the range: what was chosen, as its page has it. */
    filter: Type.Optional(Type.String({ maxLength: 1_000 })),
    person_id: PersonId,
  }),
  reply: Strict({}),
});

/** Deletes everything of a test book, or some of a large one; a live book is refused. */
export const clearTestDocuments = defineContract('issuing.test_book.clear', {
  request: Strict({ business_id: TestBookId }),
  reply: Strict({
    /** How many rows were deleted. */
    deleted: Type.Integer({ minimum: 0 }),
    /** Whether there may be more, for another call. */
    more: Type.Boolean(),
  }),
  errors: ['validation_error'],
  timeoutMs: timeLimitsMs.operatorCall,
});
