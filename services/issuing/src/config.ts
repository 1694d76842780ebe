import { type ConfigOf, integer, serviceFields } from '@pinkas/service-kit';

/** The environment of the issuing service. */
export const fields = {
  ...serviceFields,
  outcomeWaitMs: integer('OUTCOME_WAIT_MS', {
    meaning:
      'How long an issued document waits for the outcomes of allocation and delivery before it is answered, in milliseconds.',
    example: '3000',
    fallback: 3_000,
    min: 0,
    max: 10_000,
  }),
};
export type IssuingConfig = ConfigOf<typeof fields>;
