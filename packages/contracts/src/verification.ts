import Type, { type Static } from 'typebox';
import { defineContract } from './define.js';
import { AllocationOutcome, DeliveryOutcome, DocumentState, IssuedDocument } from './document.js';
import { documentTypes } from './document-types.js';
import { CalendarDate, Instant, Money, Nullable, Strict, Uuid } from './fields.js';

/*
 * What the services tell of themselves so that the book can be proved from the outside (`pinkas verify`). Nothing here
 * changes anything.
 */

/** Where a document stands in the order of the numbers; among those of one number, of which there should be one, by its id. */
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
  /** Null until the plan is recorded. */
  delivery: Nullable(DeliveryOutcome),
  /** Hex: the PDF that was made when the document was issued. */
  artifact_sha256: Type.String(),
  /** The document that it is linked to as its source, as that one stands in the book; null where there is none. */
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
});
export type BookEntry = Static<typeof BookEntry>;

/** The book of one business in the order of its numbers, each entry whole, a page at a time. */
export const readBook = defineContract('issuing.book.read', {
  request: Strict({
    business_id: Uuid,
    /** Only documents that stand after this position; null from the beginning. */
    after: Nullable(BookPosition),
    limit: Type.Integer({ minimum: 1, maximum: 100 }),
  }),
  reply: Strict({
    /** May be fewer than `limit` where they are large. */
    entries: Type.Array(BookEntry),
    /** Ask again with `after` to go on; null at the end of the book. */
    next_after: Nullable(BookPosition),
  }),
  timeoutMs: 10_000,
});

/** How a stored PDF can be wrong. */
export const artifactFaults = [
  /** There is no PDF at all. */
  'missing',
  /** The revisions are not 1, 2, 3 and so on. */
  'revisions',
  /** The bytes do not have the hash that was stored with them. */
  'hash',
  /** The first revision is not the one that the book names. */
  'book_hash',
  /** The signature is not there, not valid, or not over the whole file. */
  'signature',
  /** It is the PDF of another document: another type, number or total. */
  'content',
  /** Its allocation number is not the book's. */
  'allocation_number',
  /** It says that the document is cancelled, and the book does not. */
  'cancelled',
] as const;
export type ArtifactFault = (typeof artifactFaults)[number];

/** What a PDF is still to be made for, or declared to be. */
export const artifactSteps = [
  /** No revision was declared the one for the customer. */
  'final',
  /** No revision bears the allocation number. */
  'allocation_number',
  /** No revision says that the document is cancelled. */
  'cancelled',
] as const;
export type ArtifactStep = (typeof artifactSteps)[number];

/** Reads the stored PDFs of some documents, every revision, and proves them: hash, signature, words. */
export const auditArtifacts = defineContract('rendering.artifact.audit', {
  request: Strict({
    business_id: Uuid,
    /** What the book says of them. */
    documents: Type.Array(
      Strict({
        document_id: Uuid,
        type: Type.Enum([...documentTypes]),
        number: Type.Integer(),
        /** ILS */
        total: Money,
        allocation_number: Nullable(Type.String()),
        cancelled_at: Nullable(Instant),
        /** Hex: the first revision's. */
        artifact_sha256: Type.String(),
      }),
      { minItems: 1, maxItems: 20 },
    ),
  }),
  reply: Strict({
    /** In the order of the request. */
    documents: Type.Array(
      Strict({
        document_id: Uuid,
        /** How many revisions there are. */
        revisions: Type.Integer({ minimum: 0 }),
        faults: Type.Array(
          Strict({
            fault: Type.Enum([...artifactFaults]),
            /** What is wrong, in words: half a sentence. */
            words: Type.String(),
          }),
        ),
        owed: Type.Array(Type.Enum([...artifactSteps])),
      }),
    ),
  }),
  // Reading the words of a long PDF takes tens of milliseconds, and the service has documents to print meanwhile.
  timeoutMs: 25_000,
});
