import { nextAttemptAt } from '@pinkas/service-kit';

/**
 * What one try came to. `unknown`: the whole message had left, and no answer came; the provider may have taken it or not.
 * `reason` and `words` hold the provider's own words where there are any.
 */
export type SendOutcome =
  | {
      readonly kind: 'accepted';
      readonly words?: string;
      /** What the provider calls the message. */
      readonly providerId?: string;
    }
  | {
      readonly kind: 'temporary' | 'permanent' | 'unknown';
      readonly reason: string;
      /** `address`: the provider says that nobody is there; `access`: it does not let us in, whoever the message is for. */
      readonly fault?: 'address' | 'access';
    };

/** What a try changes, and what of it is announced. */
export interface AfterSend {
  readonly state: 'ready' | 'sent' | 'failed' | 'withdrawn';
  readonly attempts: number;
  readonly unknownOutcomes: number;
  readonly firstAttemptAt: Date;
  /** Null where there is no further try. */
  readonly nextAttemptAt: Date | null;
  readonly lastError: string | null;
}

/** A message whose fate is unknown is sent once more, under the same Message-ID, and not a third time. */
const unknownOutcomesMax = 2;

/**
 * The policy of once-only: a try that certainly was not taken is made again for a day; one that may have been taken is made
 * again once in the whole life of the message, since a receiver that sees the Message-ID twice can drop the second copy,
 * while a document that never arrives harms more; one that was refused for good is not made again. Of a document that was
 * cancelled meanwhile no try is made again.
 */
export function afterSend(
  before: {
    attempts: number;
    unknown_outcomes: number;
    first_attempt_at: Date | null;
    /** Whether its document is cancelled by now. */
    cancelled: boolean;
  },
  outcome: SendOutcome,
  now: Date,
): AfterSend {
  const attempts = before.attempts + 1;
  const firstAttemptAt = before.first_attempt_at ?? now;
  const after = { attempts, firstAttemptAt, unknownOutcomes: before.unknown_outcomes, nextAttemptAt: null };
  if (outcome.kind === 'accepted') return { ...after, state: 'sent', lastError: null };
  if (outcome.kind === 'permanent') return { ...after, state: 'failed', lastError: outcome.reason };
  const unknownOutcomes = before.unknown_outcomes + (outcome.kind === 'unknown' ? 1 : 0);
  if (before.cancelled) return { ...after, state: 'withdrawn', unknownOutcomes, lastError: outcome.reason };
  const next = unknownOutcomes < unknownOutcomesMax ? nextAttemptAt(attempts, firstAttemptAt, now) : null;
  return {
    ...after,
    state: next ? 'ready' : 'failed',
    unknownOutcomes,
    nextAttemptAt: next,
    lastError: outcome.reason,
  };
}
