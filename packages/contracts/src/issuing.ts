import { documentTypes, type SettlementNote } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { ChainHead, headsPageMax, Sha256 } from './audit.js';
import { defineContract, defineEvent } from './define.js';
import type { ErrorCode } from './http/errors.js';
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
  documentStatuses,
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
    /** Where it is asked for. */
    listed: Type.Optional(ListedDocument),
  }),
  errors: ['not_found'],
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

/** What documents are noted for; receipts of other customers are found document by document alone. */
export const reviewNotes = [
  'overcredited',
  'overpaid',
  'partly_paid',
  'invoiced_twice',
  'number_missing',
] as const satisfies readonly (SettlementNote | 'number_missing')[];
export type ReviewNote = (typeof reviewNotes)[number];

/** What the documents of a type amount to. */
export const TypeSums = Strict({
  type: Type.Enum([...documentTypes]),
  /** Without the cancelled ones, which no sum includes. */
  documents: Type.Integer({ minimum: 0 }),
  cancelled: Type.Integer({ minimum: 0 }),
  /** ILS: before VAT, after the discount. */
  net: Money,
  vat: Money,
  total: Money,
});
export type TypeSums = Static<typeof TypeSums>;

/** The position of a document in the order of commits of its business. */
const ListPosition = Type.Integer({ minimum: 1 });

/** What a list can be sorted by: when the documents were committed, their dates, totals, or what is left to pay of those with a balance. */
export const documentOrders = ['issued', 'date', 'total', 'balance'] as const;
export type DocumentOrder = (typeof documentOrders)[number];

/** The most documents that a filter names, or that are summed up one by one. */
export const namedDocumentsMax = 1_000;
export const summedDocumentsMax = 20_000;

/** Which documents of a business a list has: those that meet every member. */
const documentFilter = {
  business_id: Uuid,
  type: Type.Optional(Type.Enum([...documentTypes])),
  /** Document dates, both inclusive. */
  from: Type.Optional(CalendarDate),
  to: Type.Optional(CalendarDate),
  external_ref: Type.Optional(Type.String()),
  include_cancelled: Type.Boolean(),
  /** With `cancelled`, whatever `include_cancelled` states. With or without a type and dates, a page reads an index in its order. */
  status: Type.Optional(Type.Enum([...documentStatuses])),
  /** The number, of any type. */
  number: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  /** Of these customers only, whose documents are checked one by one for a type, a status or a reference in addition. */
  customer_ids: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: 50 })),
  /** Only documents whose source is this one; they are checked one by one for the rest. */
  based_on: Type.Optional(Uuid),
  /** Only documents with this note, which are checked one by one for the rest. */
  note: Type.Optional(Type.Enum([...reviewNotes])),
  /** Only these, which are checked one by one for the rest. */
  document_ids: Type.Optional(Type.Array(Uuid, { maxItems: namedDocumentsMax })),
  /** ILS, both inclusive. */
  total_from: Type.Optional(Money),
  total_to: Type.Optional(Money),
  /** Only documents that should have an allocation number and have none, which are checked one by one for the rest. */
  without_number: Type.Optional(Type.Boolean()),
  /** Only invoices without the number of their buyer that need it. */
  without_buyer_id: Type.Optional(Type.Boolean()),
  /** Only donation receipts that were not reported, since the institution was not connected to the tax authority. */
  unreported_donation: Type.Optional(Type.Boolean()),
  /** Only documents of which something is left to pay, or was paid beyond the total. */
  with_balance: Type.Optional(Type.Boolean()),
  /** Only documents that meet at least one of these, as a person who types a text may mean each of them; in any state. */
  search: Type.Optional(
    Strict({
      number: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
      external_ref: Type.Optional(Type.String()),
      allocation_number: Type.Optional(Type.String()),
      total: Type.Optional(Money),
      customer_ids: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: 50 })),
    }),
  ),
};

/**
 * The documents of one business, the one that was committed last first, a page at a time: what a caller has not seen yet comes
 * before what it has seen. Another order is for people.
 */
export const listDocuments = defineContract('issuing.document.list', {
  request: Strict({
    ...documentFilter,
    /** `issued` where it is absent. */
    order: Type.Optional(Type.Enum([...documentOrders])),
    /** Whether the oldest, or the smallest, comes first. */
    ascending: Type.Optional(Type.Boolean()),
    /** Whether the states say how far the documents are settled. */
    settlement: Type.Optional(Type.Boolean()),
    limit: Type.Integer({ minimum: 1, maximum: 100 }),
    /** Only documents that come, in the order of the list, after the one at this position. */
    before: Nullable(ListPosition),
  }),
  reply: Strict({
    documents: Type.Array(ListedDocument),
    /** The `before` of the next page; null on the last one. */
    next_before: Nullable(ListPosition),
  }),
});

/** What the documents of a list amount to, by type. */
export const sumDocuments = defineContract('issuing.document.sum', {
  request: Strict(documentFilter),
  reply: Strict({
    /** Only types that have a document; null where more documents meet the filter than are summed up one by one. */
    types: Nullable(Type.Array(TypeSums)),
  }),
});

/** What the documents of a range of dates amount to, by type: credit notes are a type of their own, subtracted from no other. */
export const summarizeDocuments = defineContract('issuing.document.summarize', {
  request: Strict({
    business_id: Uuid,
    /** Document dates, both inclusive; at most 366 days. */
    from: CalendarDate,
    to: CalendarDate,
  }),
  reply: Strict({
    /** Only types that have a document. */
    types: Type.Array(TypeSums),
  }),
  errors: ['validation_error'],
});

const Month = Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' });

/** What the documents of each month amount to, by type; read from the sums of days, never from documents. */
export const summarizeMonths = defineContract('issuing.document.summarize_months', {
  request: Strict({
    business_id: Uuid,
    /** Both inclusive; at most 36 months. */
    from: Month,
    to: Month,
  }),
  reply: Strict({
    /** Only months and types that have a document; without the cancelled ones. */
    months: Type.Array(
      Strict({
        month: Month,
        type: Type.Enum([...documentTypes]),
        documents: Type.Integer({ minimum: 0 }),
        /** ILS: before VAT, after the discount. */
        net: Money,
        vat: Money,
        total: Money,
      }),
    ),
  }),
  errors: ['validation_error'],
});

/** Only the newest documents were counted: there may be more. */
const AtLeast = Type.Optional(Type.Literal(true));

/** What a person should look at in the complete book, by note. */
export const reviewDocuments = defineContract('issuing.document.review', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({
    /** Only notes that a document has. */
    notes: Type.Array(
      Strict({
        note: Type.Enum([...reviewNotes]),
        documents: Type.Integer({ minimum: 1 }),
        /** ILS: left to pay, beyond the totals, or VAT that buyers cannot deduct; null where the note is about no amount. */
        amount: Nullable(Money),
        at_least: AtLeast,
      }),
    ),
    /** Invoices without the number of their buyer that need it, dated from a day on; absent where there are none. */
    without_buyer_id: Type.Optional(
      Strict({ documents: Type.Integer({ minimum: 1 }), from: CalendarDate, at_least: AtLeast }),
    ),
    /** Donation receipts that were not reported for want of a connection, in ILS; absent where there are none. */
    unreported_donations: Type.Optional(
      Strict({ documents: Type.Integer({ minimum: 1 }), amount: Money, at_least: AtLeast }),
    ),
  }),
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

/** The position of a document in the order of the numbers; among those of one number, of which there should be one, by its id. */
export const BookPosition = Strict({
  type: Type.Enum([...documentTypes]),
  number: Type.Integer(),
  id: Uuid,
});
export type BookPosition = Static<typeof BookPosition>;

/** The most documents that one call asks for. */
export const missingPageMax = 500;

/** All that the book holds of one document and of what it is linked to. */
export const BookEntry = Strict({
  document: IssuedDocument,
  state: DocumentState,
  /** Null until the outcome is recorded. */
  allocation: Nullable(AllocationOutcome),
  delivery: DeliveryOutcome,
  /** Hex: the PDF that was made when the document was issued. */
  artifact_sha256: Type.String(),
  /** Over its facts and the hash of the document before it in its series. */
  hash: Sha256,
  /** In its series: 1, 2, … */
  series_position: Type.Integer(),
  /** Whether it shows no prices, by the setting of its business. Absent: it shows them. */
  without_prices: Type.Optional(Type.Boolean()),
  /** Whether the accountant gets a copy, by the setting of its business. Absent: none. */
  accountant_copy: Type.Optional(Type.Boolean()),
  /** The document that it is linked to as its source, as it is in the book; null where there is none. */
  source: Nullable(
    Strict({
      id: Uuid,
      type: Type.Enum([...documentTypes]),
      number: Type.Integer(),
      date: CalendarDate,
    }),
  ),
  /** What the receipts that are based on it have received together, in ILS. */
  received: Money,
  /** Whether a tax invoice, or a tax invoice / receipt, is based on it. */
  invoiced: Type.Boolean(),
  /** What the credit notes that are based on it amount to together, in ILS; null where there is none. */
  credited: Nullable(Money),
});
export type BookEntry = Static<typeof BookEntry>;

/** The book of one business in the order of its numbers, each entry whole, a page at a time. */
export const readBook = defineContract('issuing.book.read', {
  request: Strict({
    business_id: Uuid,
    /** Only documents after this position; null from the beginning. */
    after: Nullable(BookPosition),
    limit: Type.Integer({ minimum: 1, maximum: 100 }),
    /** Document dates, both inclusive. */
    from: Type.Optional(CalendarDate),
    to: Type.Optional(CalendarDate),
    /** Only documents that were committed up to this position. */
    until: Type.Optional(Type.Integer({ minimum: 0 })),
    /** Only these, whatever the dates. */
    document_ids: Type.Optional(Type.Array(Uuid, { maxItems: 100 })),
  }),
  reply: Strict({
    /** May be fewer than `limit` where they are large. */
    entries: Type.Array(BookEntry),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(BookPosition),
  }),
  timeoutMs: timeLimitsMs.readBook,
});

/** Where the book of one business ends in the order of commits, and when the document after a position was issued. */
export const getBookEnd = defineContract('issuing.book_end.get', {
  request: Strict({ business_id: Uuid, after: Nullable(Type.Integer({ minimum: 0 })) }),
  reply: Strict({
    /** Of the last document; 0: there is none. */
    position: Type.Integer({ minimum: 0 }),
    /** Null where no document comes after the position, or none is given. */
    next_issued_at: Nullable(Instant),
  }),
});

/** A document of a chain: the next page continues from its hash. */
export const ChainPosition = Strict({ number: Type.Integer(), id: Uuid, hash: Sha256 });
export type ChainPosition = Static<typeof ChainPosition>;

/** The chain of the documents of one series, in the order of their numbers, with what is wrong with it. */
export const auditSeries = defineContract('issuing.series.audit', {
  request: Strict({
    business_id: Uuid,
    type: Type.Enum([...documentTypes]),
    /** The last document of the page before; null for the first page. */
    after: Nullable(ChainPosition),
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
  }),
  reply: Strict({
    documents: Type.Array(
      Strict({
        ...ChainPosition.properties,
        /** Half sentences. */
        findings: Type.Array(Type.String()),
      }),
    ),
    /**
     * Which sums, that pages and reports read, are not those of the documents, by table; on the first page only. The date is that of
     * the documents, the first day of their month, or when they are due; null: of all due dates. Debts come with tax invoices.
     */
    wrong_sums: Type.Array(
      Strict({
        sums: Type.Enum(['document_sum', 'payment_sum', 'account_sum', 'debt_sum']),
        date: Nullable(CalendarDate),
      }),
    ),
    /** The last document, as its series knows it; null before the first. */
    head: Nullable(ChainHead),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(ChainPosition),
  }),
  timeoutMs: timeLimitsMs.readBook,
});

/** Which of some documents, of whatever businesses, are in no book. */
export const listMissingDocuments = defineContract('issuing.missing_document.list', {
  request: Strict({
    documents: Type.Array(Strict({ business_id: Uuid, document_id: Uuid }), { maxItems: missingPageMax }),
  }),
  reply: Strict({ document_ids: Type.Array(Uuid) }),
});

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

const SeriesKey = Strict({ business_id: Uuid, type: Type.Enum([...documentTypes]) });

/** The ends of the chains of all series, in the order of business and type. */
export const listSeriesHeads = defineContract('issuing.series_head.list', {
  request: Strict({
    after: Nullable(SeriesKey),
    limit: Type.Integer({ minimum: 1, maximum: headsPageMax }),
  }),
  reply: Strict({
    heads: Type.Array(Strict({ ...SeriesKey.properties, ...ChainHead.properties })),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(SeriesKey),
  }),
});
