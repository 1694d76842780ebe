import Type, { type Static } from 'typebox';
import { defineContract, defineEvent } from '../define.js';
import { Business } from '../schema/business.js';
import { AllocationOutcome, IssuedDocument, RefusedNumber } from '../schema/document.js';
import { CalendarDate, Instant, Money, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';
import { Sha256 } from '../trail.js';
import { DecisionView } from './refusal.js';

/** A required allocation number is decided, for now or finally. */
export const allocationSettled = defineEvent(
  'allocation.document.settled',
  Strict({
    document: IssuedDocument,
    business: Business,
    allocation: AllocationOutcome,
    /** Whether another attempt follows automatically. */
    pending: Type.Boolean(),
    /** Whether there is no number since the authority refused it. */
    refused: Type.Optional(Type.Boolean()),
    /** Where it is refused: what the owner has decided about that. */
    refusal: Type.Optional(RefusedNumber),
    /** Of the PDF that was made when the document was issued. */
    artifact_sha256: Sha256,
  }),
);

/** The kinds of requests to the authority; no type of document needs both. */
export const requestKinds = ['number', 'donation'] as const;
export type RequestKind = (typeof requestKinds)[number];

/**
 * The state of a required allocation number. `pending`: an attempt is due or in flight. `issued`, `refused`: the authority's reply.
 * `dead_lettered`: no further attempt is made automatically.
 */
export const allocationStates = ['pending', 'issued', 'refused', 'dead_lettered'] as const;
export type AllocationState = (typeof allocationStates)[number];

const State = Type.Enum([...allocationStates]);

/**
 * Requests the allocation number of a document, or reports its donation, now, whatever was decided before: after a won objection, or when the cause of a
 * failure is fixed. Uses the same id as every attempt, and looks the number up first
 * where it may have been granted.
 */
export const retryAllocation = defineContract('allocation.document.retry', {
  request: Strict({
    document_id: Uuid,
    /** Only a document of this business; absent: of any. */
    business_id: Type.Optional(Uuid),
    person_id: PersonId,
  }),
  reply: Strict({
    business_id: Uuid,
    document_id: Uuid,
    /** `not_retryable`: no number is needed; `number` and `reason` explain it. */
    outcome: Type.Enum(['issued', 'refused', 'failed', 'not_retryable']),
    /** The printed one: of an invoice nine digits. */
    number: Nullable(Type.String()),
    /** The authority's codes of a refusal. */
    refusal_codes: Type.Array(Type.String()),
    /** In plain words; null only for `issued`. */
    reason: Nullable(Type.String()),
    /** When the next attempt is due; null: none. */
    next_attempt_at: Nullable(Instant),
  }),
  errors: ['not_found'],
  timeoutMs: timeLimitsMs.operatorCall,
});

/** The end of a page of dead-lettered documents. */
export const DeadLetteredPosition = Strict({ decided_at: Instant, document_id: Uuid });

/** The documents whose request was dead-lettered, of every business, the oldest first. */
export const listDeadLetteredAllocations = defineContract('allocation.dead_lettered.list', {
  request: Strict({
    /** Only this document; absent: all. */
    document_id: Type.Optional(Uuid),
    after: Type.Optional(DeadLetteredPosition),
    limit: Type.Integer({ minimum: 1, maximum: 500 }),
  }),
  reply: Strict({
    documents: Type.Array(
      Strict({
        document_id: Uuid,
        business_id: Uuid,
        /** Absent: a number. */
        kind: Type.Optional(Type.Enum([...requestKinds])),
        /** Why, and what has to be done about it. */
        reason: Type.String(),
        attempts: Type.Integer(),
        dead_lettered_at: Instant,
      }),
    ),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(DeadLetteredPosition),
  }),
});

/** The allocation of one document, whole. */
export const Allocation = Strict({
  document_id: Uuid,
  state: State,
  /** The printed one, nine digits. */
  number: Nullable(Type.String()),
  /** Why there is no number, or why the last attempt failed; the authority's own words where it refused. */
  reason: Nullable(Type.String()),
  /** The authority's codes of the last refusal. */
  refusal_codes: Type.Array(Type.String()),
  attempts: Type.Integer({ minimum: 0 }),
  first_attempt_at: Nullable(Instant),
  /** Null: none is due. */
  next_attempt_at: Nullable(Instant),
  /** When the state was reached. */
  decided_at: Instant,
  /** Whether no attempt can ever bring a number. Absent: it is not known. */
  is_final: Type.Optional(Type.Boolean()),
  /** Who has typed the number in; absent: the authority gave it to us, or there is none. */
  entered: Type.Optional(Strict({ at: Instant, actor: Type.String() })),
  /** When the authority refused last; absent: it never did. */
  refused_at: Type.Optional(Instant),
  /** The last decision about the refusal; absent: none was made. */
  decision: Type.Optional(DecisionView),
});
export type Allocation = Static<typeof Allocation>;

/** One attempt to obtain an allocation number. */
export const AllocationAttempt = Strict({
  /** 1, 2, … over the life of the document. */
  n: Type.Integer({ minimum: 1 }),
  started_at: Instant,
  /** Null without an outcome. */
  ended_at: Nullable(Instant),
  /** `dead_lettered`: it failed, and no other followed automatically. Null: in flight, or its process died. */
  outcome: Nullable(Type.Enum(['granted', 'refused', 'failed', 'dead_lettered'])),
  /** The printed number, where one was granted. */
  number: Nullable(Type.String()),
  /** Why there is none; the authority's own words where it refused. */
  reason: Nullable(Type.String()),
  /** The authority's codes of a refusal. */
  refusal_codes: Type.Array(Type.String()),
});
export type AllocationAttempt = Static<typeof AllocationAttempt>;

/** The allocation of one document of one business, with every attempt to obtain its number, the oldest first, a page at a time. */
export const showAllocation = defineContract('allocation.document.show', {
  request: Strict({
    business_id: Uuid,
    document_id: Uuid,
    /** Only the attempts after this one. */
    after_attempt: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  reply: Strict({
    /** Null: nothing is recorded of the document yet. */
    allocation: Nullable(Allocation),
    attempts: Type.Array(AllocationAttempt, { maxItems: 200 }),
    /** The `after_attempt` of the next page; null on the last one. */
    next_after_attempt: Nullable(Type.Integer()),
    /** Every decision about a refusal, the oldest first. */
    decisions: Type.Optional(Type.Array(DecisionView)),
  }),
});

/**
 * The documents of one business that need a person, the latest first, a page at a time: dead-lettered, or refused, unless the owner has
 * decided to go on without a number.
 */
export const listUnresolvedAllocations = defineContract('allocation.unresolved.list', {
  request: Strict({
    business_id: Uuid,
    /** Only those that were decided before this position. */
    before: Type.Optional(DeadLetteredPosition),
    limit: Type.Integer({ minimum: 1, maximum: 100 }),
  }),
  reply: Strict({
    allocations: Type.Array(Allocation),
    /** The `before` of the next page; null on the last one. */
    next_before: Nullable(DeadLetteredPosition),
  }),
});

/** The allocation state of documents of one business, for verifying the book. */
export const auditAllocations = defineContract('allocation.document.audit', {
  request: Strict({ business_id: Uuid, document_ids: Type.Array(Uuid, { maxItems: 100 }) }),
  reply: Strict({
    /** One for each id, in the order of the request. */
    documents: Type.Array(
      Strict({
        document_id: Uuid,
        /** Null: no number is required of it, as far as is known here. */
        state: Nullable(State),
        /** Of what kind it is; absent: a number. */
        kind: Type.Optional(Type.Enum([...requestKinds])),
        /** Whether its donation report is, or is about to be, cancelled. Absent: it is not. */
        cancelled: Type.Optional(Type.Boolean()),
        number: Nullable(Type.String()),
        /** When the next attempt is due; one in flight counts as due. */
        next_attempt_at: Nullable(Instant),
        /** When an outcome was published last; null: none was. */
        settled_at: Nullable(Instant),
      }),
    ),
  }),
});

/** The threshold of allocation numbers that the authority has named, which it is asked for once a day. */
export const showAllocationThreshold = defineContract('allocation.threshold.show', {
  request: Strict({}),
  reply: Strict({
    /** The latest; null: it has named none yet. */
    answer: Nullable(
      Strict({
        /** Of the answer, in Asia/Jerusalem. */
        day: CalendarDate,
        /** Net of VAT. */
        net: Money,
      }),
    ),
  }),
});
