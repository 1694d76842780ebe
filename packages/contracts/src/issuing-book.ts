import { documentTypes, modes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { ChainHead, headsPageMax, Sha256 } from './audit.js';
import { defineContract } from './define.js';
import { AllocationOutcome, DeliveryOutcome, DocumentState, IssuedDocument } from './schema/document.js';
import { CalendarDate, Instant, Money, Nullable, Strict, Uuid } from './schema/fields.js';
import { timeLimitsMs } from './time-limits.js';

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

/** The chain of one series as evidence outside the system: its reader computes each hash again. */
export const readSeries = defineContract('issuing.series.read', {
  request: Strict({
    business_id: Uuid,
    type: Type.Enum([...documentTypes]),
    /** The last document of the page before; null for the first page. */
    after: Nullable(ChainPosition),
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
  }),
  reply: Strict({
    records: Type.Array(
      Strict({
        ...ChainPosition.properties,
        /** Canonical JSON: what its hash is of, with the hash before it as `previous`. */
        facts: Type.String(),
      }),
    ),
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

/** The last end of the chain of a series that was signed. */
export const SignedEnd = Strict({
  type: Type.Enum([...documentTypes]),
  ...ChainHead.properties,
  /** Null: it was signed by an earlier release, which did not keep it. */
  at: Nullable(Instant),
});
export type SignedEnd = Static<typeof SignedEnd>;

/** How many documents behind the one that is checked are followed to the signed end. */
export const followedMax = 100;

/**
 * Checks one document against the chain of its series, for a person who has its file or its address. The reply has what the
 * document shows, without its customer, and nothing of any other.
 */
export const checkDocument = defineContract('issuing.document.check', {
  request: Strict({
    business_id: Uuid,
    document_id: Uuid,
    /** Of the series of the business. */
    signed_ends: Type.Array(SignedEnd, { maxItems: documentTypes.length }),
  }),
  reply: Strict({
    public_id: Type.String(),
    mode: Type.Enum([...modes]),
    type: Type.Enum([...documentTypes]),
    number: Type.Integer(),
    date: CalendarDate,
    /** As they were at issue. */
    business_name: Type.String(),
    business_tax_id: Nullable(Type.String()),
    /** Hex: the PDF that was made when the document was issued. */
    artifact_sha256: Sha256,
    cancelled_at: Nullable(Instant),
    /** By credit notes. */
    credited: Type.Enum(['none', 'part', 'full']),
    allocation_number: Nullable(Type.String()),
    /** Whether its facts, and the hash of the document before it, make the hash that is stored. */
    record_intact: Type.Boolean(),
    /** Whether the number before it is in the series, or it is the first. */
    in_sequence: Type.Boolean(),
    /**
     * `followed`: every document up to the signed end continues the one before it. `signed`: the end was signed after it, and lies
     * too far behind it to be followed here. `not_yet`: no end was signed since it was issued. `broken`: the chain is another.
     */
    chain: Type.Enum(['followed', 'signed', 'not_yet', 'broken']),
  }),
  errors: ['not_found'],
});
