import { documentTypes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { AllocationOutcome, DeliveryOutcome, DocumentState, IssuedDocument } from '../schema/document.js';
import { CalendarDate, Instant, Money, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';
import { Sha256 } from '../trail.js';

/** The position of a document in the order of the numbers; among those of one number, of which there should be one, by its id. */
export const BookPosition = Strict({
  type: Type.Enum([...documentTypes]),
  number: Type.Integer(),
  id: Uuid,
});
export type BookPosition = Static<typeof BookPosition>;

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
  /** The sum that the receipts based on it have received, in ILS. */
  received: Money,
  /** Whether a tax invoice, or a tax invoice / receipt, is based on it. */
  invoiced: Type.Boolean(),
  /** The sum of the credit notes that are based on it, in ILS; null where there is none. */
  credited: Nullable(Money),
});
export type BookEntry = Static<typeof BookEntry>;

/** The book of one business in the order of its numbers, each entry complete, a page at a time. */
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

/** Returns the last position of the book of one business in the order of commits, and when the document after a position was issued. */
export const getBookEnd = defineContract('issuing.book_end.get', {
  request: Strict({ business_id: Uuid, after: Nullable(Type.Integer({ minimum: 0 })) }),
  reply: Strict({
    /** Of the last document; 0: there is none. */
    position: Type.Integer({ minimum: 0 }),
    /** Null where no document comes after the position, or none is given. */
    next_issued_at: Nullable(Instant),
  }),
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
