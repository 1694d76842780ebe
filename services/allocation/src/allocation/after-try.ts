import type { AllocationOutcome, AllocationState } from '@pinkas/contracts';
import { nextAttemptAt } from '@pinkas/service-kit';
import type { TryOutcome } from '../authority/tax-authority.js';

/** What a try changes, and what of it is announced. */
export interface AfterTry {
  readonly state: Extract<AllocationState, 'asking' | 'issued' | 'refused' | 'given_up'>;
  readonly reason: string | null;
  readonly number: string | null;
  readonly confirmationNumber: string | null;
  readonly nextAttemptAt: Date | null;
  /** Null where nothing new is to be said. */
  readonly announce: AllocationOutcome | null;
}

/**
 * A number and a refusal are final and announced. A try that failed is announced the first time only, so that the PDF and
 * the mail go on without a number; it is tried again in silence for a day, unless another try would come to the same.
 */
export function afterTry(
  before: { attempts: number; earlier_attempts: number; asked_since: Date; settled_at: Date | null },
  outcome: TryOutcome,
  now: Date,
): AfterTry {
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
        announce: { status: 'issued', number: outcome.number, reason: null },
      };
    case 'refused': {
      const reason = `refused: ${outcome.words}`;
      return { ...none, state: 'refused', reason, announce: failed(reason) };
    }
    case 'failed': {
      // A day that begins anew while a try is under way counts that try as its first.
      const attempts = Math.max(1, before.attempts - before.earlier_attempts);
      const next = outcome.triedAgain ? nextAttemptAt(attempts, before.asked_since, now) : null;
      return {
        ...none,
        state: next ? 'asking' : 'given_up',
        reason: outcome.reason,
        nextAttemptAt: next,
        announce: before.settled_at ? null : failed(outcome.reason),
      };
    }
  }
}
