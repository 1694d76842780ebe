import type { AllocationOutcome, AllocationState, RequestKind } from '@pinkas/contracts';
import { nextAttemptAt } from '@pinkas/domain';
import type { AttemptOutcome, FailedAttempt } from '../authority/attempt-outcome.js';

/** The changes that an attempt makes, and the event that is published. */
export interface RetryTransition {
  readonly state: AllocationState;
  readonly reason: string | null;
  readonly number: string | null;
  readonly confirmationNumber: string | null;
  readonly nextAttemptAt: Date | null;
  /** Whether the retry schedule begins again with the next attempt. */
  readonly restarts?: boolean;
  /** Whether this attempt, or one before it, may have been granted. */
  readonly isUnknown: boolean;
  /** The outcome to publish; null where nothing new is published. */
  readonly outcome: AllocationOutcome | null;
}

/** The facts of a document on which a transition depends. */
interface AttemptedRow {
  readonly kind: RequestKind;
  readonly attempts: number;
  readonly earlier_attempts: number;
  readonly first_attempt_at: Date;
  readonly settled_at: Date | null;
  readonly outcome_unknown: boolean;
}

/** The pause between attempts that go on until somebody has corrected the cause. */
const endlessPauseMs = 5 * 60_000;

/** What a person does about a document whose attempts have ended with one that may have been granted. */
const lookThere: Readonly<Record<RequestKind, string>> = {
  number:
    'An attempt may have been granted all the same: look into the personal area at the tax authority, and enter the number if it is there.',
  donation:
    'It may be reported all the same: look for the donation at the tax authority before it is reported again.',
};

/** Codes of answers to a repeated request: the number was refused before, without or with a decision of the owner since. */
const repeatedRefusals: readonly string[] = ['461', '462'];

/** The refusal that an answer repeats, as it was given first; null: it repeats none. */
export function firstRefusal(
  before: { refused_at: Date | null; refusal_codes: string[] | null; refusal_message: string | null },
  outcome: AttemptOutcome,
): Extract<AttemptOutcome, { kind: 'refused' }> | null {
  const repeats =
    outcome.kind === 'refused' &&
    outcome.codes.length > 0 &&
    outcome.codes.every((code) => repeatedRefusals.includes(code));
  return repeats && before.refused_at !== null
    ? { ...outcome, codes: before.refusal_codes ?? [], message: before.refusal_message ?? outcome.message }
    : null;
}

/**
 * A number and a refusal are final and published. Of the failures only the first is published, so that the PDF is settled
 * without a number, and the one after which no attempt follows, so that nothing waits for a number any more. Attempts continue
 * for a day, unless another one cannot succeed, or until somebody has corrected what concerns all documents.
 */
export function retryTransition(before: AttemptedRow, outcome: AttemptOutcome, now: Date): RetryTransition {
  const failed = (reason: string): AllocationOutcome => ({ status: 'failed', number: null, reason });
  const none = { number: null, confirmationNumber: null, nextAttemptAt: null, isUnknown: false };
  switch (outcome.kind) {
    case 'granted':
      return {
        ...none,
        state: 'issued',
        reason: null,
        number: outcome.number,
        confirmationNumber: outcome.confirmationNumber,
        outcome: { status: 'issued', number: outcome.number, reason: null },
      };
    case 'refused': {
      if (outcome.isNotRequired) {
        const reason = `The tax authority gives credit notes no number: ${outcome.message}.`;
        return {
          ...none,
          state: 'refused',
          reason,
          outcome: { status: 'not_required', number: null, reason },
        };
      }
      const reason = `refused: ${outcome.message}`;
      return { ...none, state: 'refused', reason, outcome: failed(reason) };
    }
    case 'failed': {
      const next = nextOf(before, outcome, now);
      // No later failure proves that an earlier attempt was not granted.
      const isUnknown = before.outcome_unknown || outcome.outcomeUnknown;
      const reason = next || !isUnknown ? outcome.reason : `${outcome.reason} ${lookThere[before.kind]}`;
      return {
        ...none,
        state: next ? 'pending' : 'dead_lettered',
        reason,
        nextAttemptAt: next,
        restarts: outcome.isEndless === true && next !== null,
        isUnknown,
        outcome: before.settled_at && next ? null : failed(reason),
      };
    }
  }
}

function nextOf(before: AttemptedRow, outcome: FailedAttempt, now: Date): Date | null {
  if (!outcome.retryable) {
    return null;
  }
  // A schedule that restarts during an attempt counts that attempt as its first.
  const attempts = Math.max(1, before.attempts - before.earlier_attempts);
  const next = outcome.isEndless
    ? new Date(now.getTime() + endlessPauseMs)
    : nextAttemptAt(attempts, before.first_attempt_at, now);
  const { notBefore } = outcome;
  return next && notBefore && notBefore > next ? notBefore : next;
}
