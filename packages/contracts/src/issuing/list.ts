import { documentTypes, type SettlementNote, settlementStates } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { documentStatuses, ListedDocument } from '../schema/document.js';
import { CalendarDate, Money, Month, Nullable, Strict, Uuid } from '../schema/fields.js';
import { Sha256 } from '../trail.js';

/** What documents are noted for; receipts of other customers are found document by document alone. */
export const reviewNotes = [
  'overcredited',
  'overpaid',
  'partly_paid',
  'invoiced_twice',
  'number_missing',
] as const satisfies readonly (SettlementNote | 'number_missing')[];
export type ReviewNote = (typeof reviewNotes)[number];

/**
 * What people mean by the state of a document: of one that asks for a payment whether something is left to pay (`open`), of another its
 * status.
 */
export const balanceStates = ['open', 'closed'] as const;
export type BalanceState = (typeof balanceStates)[number];

/** The sums of the documents of a type. */
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

/** The orders of a list: by commit, date, total, or what is left to pay of documents with a balance. */
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
  /** Of each type, a page reads an index in its order. */
  balance_state: Type.Optional(Type.Enum([...balanceStates])),
  /** Only documents that ask for a payment and are settled as far as one of these. Of each type, a page reads an index in its order. */
  settlement_states: Type.Optional(
    Type.Array(Type.Enum([...settlementStates]), { minItems: 1, maxItems: settlementStates.length }),
  ),
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

/** Sums the documents of a list, by type. */
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
        /** Of the ids of the documents, and the same for the same ones alone; absent of `number_missing`. */
        documents_sha256: Type.Optional(Sha256),
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
