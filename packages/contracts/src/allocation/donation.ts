import Type, { type Static } from 'typebox';
import { defineContract, defineEvent } from '../define.js';
import { Business } from '../schema/business.js';
import { DonationOutcome, IssuedDocument } from '../schema/document.js';
import { Instant, Money, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';
import { Sha256 } from '../trail.js';
import { AllocationAttempt, DeadLetteredPosition } from './allocation.js';

/** The report of a donation is decided, for now or finally, or was cancelled. */
export const donationSettled = defineEvent(
  'allocation.donation.settled',
  Strict({
    document: IssuedDocument,
    business: Business,
    donation: DonationOutcome,
    /** Of the PDF that was made when the document was issued. */
    artifact_sha256: Sha256,
  }),
);

/**
 * The state of the report of a donation. `pending`: an attempt is due or in flight, to report it or to cancel the report. `reported`,
 * `refused`: the authority's reply. `dead_lettered`: no further attempt is made automatically. `cancelled`: so is what was reported of it.
 */
export const donationStates = ['pending', 'reported', 'refused', 'dead_lettered', 'cancelled'] as const;
export type DonationState = (typeof donationStates)[number];

/** One report of a receipt: that of one means of payment. */
export const DonationReportView = Strict({
  /** 1, 2, … within the receipt. */
  index: Type.Integer({ minimum: 1 }),
  means: Type.String(),
  tax_year: Type.Integer(),
  /** ILS */
  amount: Money,
  /** The authority's number; null: it is not reported. */
  number: Nullable(Type.String()),
  /** The authority's number of its cancellation; null: it is not cancelled. */
  cancellation_number: Nullable(Type.String()),
});

/** The donation of one receipt, with its reports. */
export const Donation = Strict({
  document_id: Uuid,
  business_id: Uuid,
  document_number: Type.Integer(),
  state: Type.Enum([...donationStates]),
  /** As it is printed; null: not all of it is reported. */
  number: Nullable(Type.String()),
  /** Why there is no number, or why the last attempt failed; the authority's own words where it refused. */
  reason: Nullable(Type.String()),
  /** The authority's codes of the last refusal. */
  refusal_codes: Type.Array(Type.String()),
  attempts: Type.Integer({ minimum: 0 }),
  /** Null: none is due. */
  next_attempt_at: Nullable(Instant),
  /** When the state was reached. */
  decided_at: Instant,
  /** Null: no one has asked for it. */
  cancellation: Nullable(Strict({ requested_at: Instant, reason: Type.String() })),
  reports: Type.Array(DonationReportView),
});
export type Donation = Static<typeof Donation>;

/** The donation of one receipt, with every attempt, the oldest first, a page at a time. */
export const showDonation = defineContract('allocation.donation.show', {
  request: Strict({
    document_id: Uuid,
    /** Only a receipt of this business; absent: of any. */
    business_id: Type.Optional(Uuid),
    /** Only the attempts after this one. */
    after_attempt: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  reply: Strict({
    /** Null: nothing is recorded of the receipt. */
    donation: Nullable(Donation),
    attempts: Type.Array(AllocationAttempt, { maxItems: 200 }),
    /** The `after_attempt` of the next page; null on the last one. */
    next_after_attempt: Nullable(Type.Integer()),
  }),
});

/** The donations that need a person: refused or dead-lettered, the latest first, a page at a time. */
export const listUnresolvedDonations = defineContract('allocation.unresolved_donation.list', {
  request: Strict({
    /** Absent: of every business. */
    business_id: Type.Optional(Uuid),
    /** Only those that were decided before this position. */
    before: Type.Optional(DeadLetteredPosition),
    limit: Type.Integer({ minimum: 1, maximum: 100 }),
  }),
  reply: Strict({
    donations: Type.Array(Donation),
    /** The `before` of the next page; null on the last one. */
    next_before: Nullable(DeadLetteredPosition),
  }),
});

/**
 * Cancels what was reported of a donation, and reports nothing more of it; the receipt stays in the book. The authority is asked at once;
 * where it does not answer, attempts follow. A second call changes nothing.
 */
export const cancelDonation = defineContract('allocation.donation.cancel', {
  request: Strict({
    document_id: Uuid,
    /** Only a receipt of this business; absent: of any. */
    business_id: Type.Optional(Uuid),
    reason: Type.String({ minLength: 1, maxLength: 200 }),
    person_id: PersonId,
  }),
  reply: Donation,
  /** `not_found`: no report of the document is recorded. */
  errors: ['not_found'],
  timeoutMs: timeLimitsMs.operatorCall,
});
