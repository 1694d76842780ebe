import type { AllocationOutcome, AllocationState } from '@pinkas/contracts';
import { nextAttemptAt } from '@pinkas/domain';
import type { AttemptOutcome } from '../authority/attempt-outcome.js';

/** What an attempt changes, and what is published. */
export interface RetryTransition {
  readonly state: AllocationState;
  readonly reason: string | null;
  readonly number: string | null;
  readonly confirmationNumber: string | null;
  readonly nextAttemptAt: Date | null;
  /** The outcome to publish; null where nothing new is published. */
  readonly outcome: AllocationOutcome | null;
}

/**
 * A number and a refusal are final and published. Of the failures only the first is published, so that the PDF is settled
 * without a number, and the one after which no attempt follows, so that nothing waits for a number any more. Attempts continue
 * for a day, unless another one cannot succeed.
 */
export function retryTransition(
  before: { attempts: number; earlier_attempts: number; first_attempt_at: Date; settled_at: Date | null },
  outcome: AttemptOutcome,
  now: Date,
): RetryTransition {
  const failed = (reason: string): AllocationOutcome => ({ status: 'failed', number: null, reason });
  const none = { number: null, confirmationNumber: null, nextAttemptAt: null };
  switch (outcome.kind) {
    case 'granted':
      return {
        state: 'issued',
        reason: null,
        number: outcome.number,
        confirmationNumber: outcome.confirmationNumber,
        nextAttemptAt: null,
        outcome: { status: 'issued', number: outcome.number, reason: null },
      };
    case 'refused': {
      const reason = `refused: ${outcome.message}`;
      return { ...none, state: 'refused', reason, outcome: failed(reason) };
    }
    case 'failed': {
      // A schedule that restarts during an attempt counts that attempt as its first.
      const attempts = Math.max(1, before.attempts - before.earlier_attempts);
      const next = outcome.retryable ? nextAttemptAt(attempts, before.first_attempt_at, now) : null;
      return {
        ...none,
        state: next ? 'pending' : 'dead_lettered',
        reason: outcome.reason,
        nextAttemptAt: next,
        outcome: before.settled_at && next ? null : failed(outcome.reason),
      };
    }
  }
}
