import { softwareVersion } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract, type ServiceName, serviceNames } from './define.js';
import { Instant, Nullable, Strict } from './schema/fields.js';
import { timeLimitsMs } from './time-limits.js';

/** The version of the process that has loaded this. */
export { softwareVersion };

/** What `pinkas doctor` looks at, in the order of its report. */
export const checkAreas = [
  'processes',
  'versions',
  'configuration',
  'clocks',
  'database',
  'backups',
  'streams',
  'jobs',
  'printing',
  'store',
  'certificates',
  'authority',
  'mail',
  'book',
  'disks',
] as const;
export type CheckArea = (typeof checkAreas)[number];

/** `not_checked`: it cannot be known from there, or did not end in time; the finding states why. */
export const checkStates = ['ok', 'warning', 'failure', 'not_checked'] as const;
export type CheckState = (typeof checkStates)[number];

/** One finding of one process. It holds no secret and no personal data. */
export const Check = Strict({
  /** One of `checkAreas`; a later release may have others. */
  area: Type.String(),
  /** The name of the thing that was checked; processes that check the same thing name it alike. */
  subject: Type.String(),
  state: Type.Enum([...checkStates]),
  /** The finding, in a few words. */
  finding: Type.String(),
  /** The advice; null where it is ok. */
  remedy: Nullable(Type.String()),
});
export type Check = Static<typeof Check>;

/** One process of a service, and what it has checked. */
export const ProcessDiagnosis = Strict({
  /** The name of its machine, in a cluster that of its pod. */
  host: Type.String(),
  pid: Type.Integer(),
  version: Type.String(),
  /** On its clock: when the request came, and when the reply left. */
  received_at: Instant,
  replied_at: Instant,
  /** How far the clock of its database is ahead of its own at least, in milliseconds; null: the database does not answer. */
  database_ahead_ms: Nullable(Type.Integer()),
  checks: Type.Array(Check),
});
export type ProcessDiagnosis = Static<typeof ProcessDiagnosis>;

/** The contracts of a service's diagnosis. The kit handles them. */
export function diagnosisContracts<S extends ServiceName>(service: S) {
  return {
    /** Checks what the process needs, and what it alone knows; nothing is changed. */
    diagnoseProcess: defineContract(`${service}.process.diagnose`, {
      request: Strict({}),
      reply: ProcessDiagnosis,
      timeoutMs: timeLimitsMs.diagnosis,
      handledBy: 'every process',
    }),
  };
}

/** The contracts of the diagnosis by service. */
export const diagnosing = Object.fromEntries(
  serviceNames.map((service) => [service, diagnosisContracts(service)]),
) as Readonly<Record<ServiceName, ReturnType<typeof diagnosisContracts>>>;
