import { noNumberReasons } from '@pinkas/domain';
import Type from 'typebox';
import { defineContract } from '../define.js';
import { Business } from '../schema/business.js';
import { IssuedDocument } from '../schema/document.js';
import { Instant, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';
import { Sha256 } from '../trail.js';

/** The facts of a document that issuing knows: the allocation service need not have any record of it. */
const issuedFacts = {
  document: IssuedDocument,
  /** As it was at issue, but for the connection, which is that of now. */
  business: Business,
  /** Of the PDF that was made when the document was issued. */
  artifact_sha256: Sha256,
};

const outcomeFields = {
  business_id: Uuid,
  document_id: Uuid,
  /** The printed number, nine digits; null: the document has none. */
  number: Nullable(Type.String()),
};

/** Why a number that a person typed in is not taken. */
export const entryRefusals = [
  ...noNumberReasons,
  /** It is not nine digits. */
  'form',
  /** The document has another number. */
  'has_number',
  /** Another document of the business has it. */
  'of_other',
] as const;
export type EntryRefusal = (typeof entryRefusals)[number];

/**
 * Takes the allocation number of a document that a person got elsewhere, for example in the authority's own form. Attempts to obtain one end
 * with it. The same number again changes nothing.
 */
export const enterAllocationNumber = defineContract('allocation.number.enter', {
  request: Strict({
    ...issuedFacts,
    /** As it was typed, without white space. */
    entered: Type.String({ maxLength: 100 }),
    person_id: PersonId,
  }),
  reply: Strict({
    ...outcomeFields,
    /** Null: it is taken. */
    refusal: Nullable(Type.Enum([...entryRefusals])),
    /** The document that has it; only for `of_other`. */
    other: Type.Optional(Strict({ document_id: Uuid, document_number: Type.Integer() })),
  }),
});

/** Why no number is requested. */
export const requestRefusals = [
  ...noNumberReasons,
  'has_number',
  'not_connected',
  /** The authority has refused it: a decision about that comes first. */
  'refused',
] as const;
export type RequestRefusal = (typeof requestRefusals)[number];

/** Requests the number of a document that needs none, now, or the number of one that waits for it. */
export const requestAllocationNumber = defineContract('allocation.number.request', {
  request: Strict({ ...issuedFacts, person_id: PersonId }),
  reply: Strict({
    ...outcomeFields,
    /** Null: it was requested. */
    refusal: Nullable(Type.Enum([...requestRefusals])),
    /** Null: the number is there, or nothing was requested. */
    reason: Nullable(Type.String()),
    /** When the next attempt is due; null: none. */
    next_attempt_at: Nullable(Instant),
  }),
  timeoutMs: timeLimitsMs.operatorCall,
});
