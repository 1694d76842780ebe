import { documentTypes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract, defineEvent } from '../define.js';
import { type ErrorCode } from '../errors.js';
import { Business } from '../schema/business.js';
import {
  AllocationOutcome,
  CreateDocument,
  CustomerMatch,
  CustomerSnapshot,
  DeliveryOutcome,
  DocumentState,
  DonationOutcome,
  DraftDocument,
  IssuedDocument,
  PreviewedAllocation,
} from '../schema/document.js';
import { Instant, PersonId, Strict, Uuid } from '../schema/fields.js';
import { firstWarnings } from '../schema/preview-warnings.js';
import { timeLimitsMs } from '../time-limits.js';
import { Sha256 } from '../trail.js';
import { SetOffAmounts } from './set-off.js';
import { WithheldWithReceipt } from './withheld.js';

/** The caller that requests a document. */
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
    /** The customer's copy as the response states it. */
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
