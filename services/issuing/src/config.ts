import { timeLimitsMs } from '@pinkas/contracts';
import { type ConfigOf, integer, serviceFields } from '@pinkas/service-kit/config';

/** The environment of the issuing service. */
export const fields = {
  ...serviceFields,
  outcomeWaitMs: integer('OUTCOME_WAIT_MS', {
    meaning:
      'How long the reply to an issue request waits for the outcomes of allocation and delivery, in milliseconds.',
    example: '3000',
    fallback: timeLimitsMs.outcomes,
    min: 0,
    max: 10_000,
  }),
};
export type IssuingConfig = ConfigOf<typeof fields>;
