import { documentTypes, modes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { CalendarDate, Instant, Nullable, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';
import { ChainHead, headsPageMax, Sha256 } from '../trail.js';

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
