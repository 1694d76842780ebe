import { decisionStates, refusalDecisions } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { Instant, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';

/** A decision of the owner about a refusal. */
export const DecisionView = Strict({
  /** 1, 2, … of the document. */
  n: Type.Integer({ minimum: 1 }),
  decision: Type.Enum([...refusalDecisions]),
  state: Type.Enum([...decisionStates]),
  /** When it was made, and by whom, as in the audit trail. */
  decided_at: Instant,
  actor: Type.String(),
  /** When the authority took it, or would not; null while it is being sent. */
  ended_at: Nullable(Instant),
  /** Why it is not taken; null where it is. */
  reason: Nullable(Type.String()),
  /** Null: no attempt is due. */
  next_attempt_at: Nullable(Instant),
});
export type DecisionView = Static<typeof DecisionView>;

/** Why a decision is not sent. */
export const decideRefusals = [
  /** Its number was not refused. */
  'not_refused',
  /** Another decision is made, and leaves no other way. */
  'decided',
  /** It is not offered. */
  'not_offered',
] as const;
export type DecideRefusal = (typeof decideRefusals)[number];

/**
 * Sends the decision of an owner about a refused number to the authority. It is recorded before, and repeated until its outcome is known. A
 * second call with the same decision sends it again while it is not taken, and changes nothing afterwards.
 */
export const decideRefusal = defineContract('allocation.refusal.decide', {
  request: Strict({
    document_id: Uuid,
    /** Only a document of this business; absent: of any. */
    business_id: Type.Optional(Uuid),
    decision: Type.Enum([...refusalDecisions]),
    person_id: PersonId,
  }),
  reply: Strict({
    business_id: Uuid,
    document_id: Uuid,
    /** Null: see `last`. */
    refusal: Nullable(Type.Enum([...decideRefusals])),
    /** The last decision about the refusal: the one of this call, where it was not refused. */
    last: Nullable(DecisionView),
  }),
  /** Nothing is recorded of the document. */
  errors: ['not_found'],
  timeoutMs: timeLimitsMs.operatorCall,
});
