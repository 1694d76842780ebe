import { timeLimitsMs } from '@pinkas/contracts';
import { type ConfigOf, choice, integer, serviceFields } from '@pinkas/service-kit/config';

/** The environment of the issuing service. */
export const fields = {
  ...serviceFields,
  outcomeWaitMs: integer('OUTCOME_WAIT_MS', {
    meaning:
      "How long the reply to an issue request waits for an allocation number that is required, and for the customer's card where it changes, in milliseconds.",
    example: '3000',
    fallback: timeLimitsMs.outcomes,
    min: 0,
    max: 10_000,
  }),
  taxAuthorityCreditNotes: choice('TAX_AUTHORITY_CREDIT_NOTES', {
    meaning:
      'Whether credit notes need a number of the tax authority (ask), as the HTTP API states, or not (skip); the same as of allocation.',
    example: 'ask',
    fallback: 'ask',
    values: ['ask', 'skip'],
  }),
  renderingsMax: integer('RENDERINGS_MAX', {
    meaning:
      'How many documents the process has rendered at the same time. One transaction of a series has the share of them that its requests are of all that wait, and at least one.',
    example: '8',
    fallback: 8,
    min: 1,
    max: 256,
  }),
};
export type IssuingConfig = ConfigOf<typeof fields>;

/** The decisions of the operator about the numbers that are asked for. */
export const allocationOptions = ({
  taxAuthorityCreditNotes: creditNotes,
}: Pick<IssuingConfig, 'taxAuthorityCreditNotes'>) => ({ creditNotes });
