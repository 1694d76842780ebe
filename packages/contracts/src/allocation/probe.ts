import Type from 'typebox';
import { defineContract } from '../define.js';
import { Nullable, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';

/** The calls that settle what no public paper states about the authority. */
export const probeNames = [
  'repeat',
  'too_old',
  'too_early',
  'credit_note',
  'zero_vat',
  'private_person',
  'sums',
  'decimals',
  'look_up',
  'minimum_amount',
] as const;
export type ProbeName = (typeof probeNames)[number];

/** Makes one of these calls with the connection of a business, at a sandbox only: no number of a real business is used up. */
export const probeAuthority = defineContract('allocation.authority.probe', {
  request: Strict({
    business_id: Uuid,
    probe: Type.Enum([...probeNames]),
    /** The seller; the sandbox's own grants numbers. */
    vat_number: Type.Integer({ minimum: 10, maximum: 999_999_999 }),
  }),
  reply: Strict({
    /** `not_sandbox`: the configured authority is no sandbox. `failed`: it did not answer, with the reason. */
    outcome: Type.Enum(['answered', 'not_sandbox', 'failed']),
    reason: Nullable(Type.String()),
    question: Type.String(),
    /** The assumption of the software. */
    assumed: Type.String(),
    /** The authority's answer in the same words; null where it gave none. */
    answered: Nullable(Type.String()),
    /** As they came. */
    answers: Type.Array(Strict({ status: Type.Integer(), body: Type.String() })),
  }),
  timeoutMs: timeLimitsMs.operatorCall,
});
