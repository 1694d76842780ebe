import Type from 'typebox';
import { defineContract } from '../define.js';
import { CalendarDate, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';

/** The files of the uniform structure that the authority may take. */
export const transmittedFileNames = ['INI.TXT', 'BKMVDATA.TXT', 'BKMVDATA.zip'] as const;

/**
 * `not_required`: the authority does not ask this of the business. `off`: transmission is switched off
 * (`TAX_AUTHORITY_TRANSMISSION`). `failed`: with the reason.
 */
const TransmissionOutcome = Type.Enum(['done', 'not_required', 'off', 'failed']);
/** The problem that a person has to solve; absent: the reason is in the words of the authority. */
export const transmissionProblems = [
  'not_connected',
  'no_permission',
  'not_subscribed',
  'unavailable',
] as const;
const TransmissionProblem = Type.Optional(Type.Enum([...transmissionProblems]));

/** Requests of the authority the addresses to which the uniform structure of a period is uploaded. */
export const openTransmission = defineContract('allocation.transmission.open', {
  request: Strict({
    business_id: Uuid,
    /** Nine digits. */
    tax_id: Type.String({ pattern: '^[0-9]{1,9}$' }),
    from: CalendarDate,
    to: CalendarDate,
    person_id: PersonId,
  }),
  reply: Strict({
    outcome: TransmissionOutcome,
    reason: Nullable(Type.String()),
    problem: TransmissionProblem,
    /** The authority's id of the transmission. */
    id: Nullable(Type.String()),
    files: Type.Array(
      Strict({
        name: Type.Enum([...transmittedFileNames]),
        /** The authority's id of the file. */
        id: Type.String(),
        url: Type.String(),
        /** To be sent with the request that begins the upload. */
        headers: Type.Array(Strict({ name: Type.String(), value: Type.String() })),
        /** Null: the authority states no limit. */
        max_bytes: Nullable(Type.Integer({ minimum: 0 })),
      }),
    ),
  }),
  timeoutMs: timeLimitsMs.transmission,
});

/** Requests of the authority what became of uploaded files. */
export const readTransmission = defineContract('allocation.transmission.read', {
  request: Strict({
    business_id: Uuid,
    files: Type.Array(Strict({ id: Type.String(), name: Type.Enum([...transmittedFileNames]) }), {
      minItems: 1,
      maxItems: 10,
    }),
  }),
  reply: Strict({
    outcome: TransmissionOutcome,
    reason: Nullable(Type.String()),
    problem: TransmissionProblem,
    files: Type.Array(
      Strict({
        id: Type.String(),
        /** `uploaded`: not decided yet. `unknown`: the authority does not know the file yet. */
        status: Type.Enum(['unknown', 'uploaded', 'approved', 'rejected']),
        description: Nullable(Type.String()),
      }),
    ),
  }),
  timeoutMs: timeLimitsMs.transmission,
});
